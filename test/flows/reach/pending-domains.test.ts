/** A domain that somebody has added and not proved is nobody's: it keeps nothing from the owners who have addresses there. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { addDomain, publish, request, verifyDomain } from '../../harness/domains.ts';
import { createBrowser } from '../../harness/http/browser.ts';
import { OWNER, signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { linksMailedTo, mailedLink } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const SECOND = 'second@remote.test';
const GUEST = 'guest@remote.test';

t.test('a pending domain keeps no link, no notice, no invitation and no owner away', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'workspaces', 'add', 'Other', '--owner', 'm@elsewhere.test', '--verified');
  const { api_key: key } = await cliJson(instance.configPath, 'agents', 'add', 'mallory', '--workspace', 'Other');
  const attacker = { handle: 'mallory', address: '', key: String(key) };
  for (const agent of [ann, attacker]) t.equal((await addDomain(instance, agent, 'remote.test')).status, 201);

  const owner = createBrowser(instance.baseUrl);
  await owner.post('/console/sign-in', { email: OWNER });
  t.equal((await owner.post(await mailedLink(instance, OWNER))).status, 303, 'its owner signs in');
  await cliJson(instance.configPath, 'owners', 'add', SECOND, '--workspace', 'acme');
  const second = createBrowser(instance.baseUrl);
  await second.post('/console/sign-in', { email: SECOND });
  t.equal((await second.post(await mailedLink(instance, SECOND))).status, 303, 'so does a co-owner');
  t.equal((await owner.call('invitations/add', { email: GUEST })).status, 200);
  const guest = createBrowser(instance.baseUrl);
  t.equal((await guest.post(await mailedLink(instance, GUEST))).status, 303, 'and who is invited');

  const before = instance.receiver.messages.length;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  await instance.client(ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
  const notice = (await instance.receiver.waitFor(before + 1)).at(-1);
  t.match(notice?.rcptTo, [OWNER], 'notices come as well');
  t.same(instance.faults, []);
});

t.test('nothing has an address on a pending domain', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { body } = await addDomain(instance, ann, 'peer.test');
  const made = await request(instance, ann, 'POST', '/v1/mailboxes', { handle: 'boss', domain_id: body.id });
  t.same([made.status, made.body.error], [409, 'domain_not_verified']);
  publish(instance.dns.zone, body.records);
  await verifyDomain(instance, ann, body.id);
  t.equal((await request(instance, ann, 'POST', '/v1/mailboxes', { handle: 'boss', domain_id: body.id })).status, 201);
  t.same(instance.faults, []);
});

t.test('once it is verified, links under way to it end, and its owners are told', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const boss = 'boss@elsewhere.test';
  instance.dns.zone.set('elsewhere.test', 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  const owner = await signInOwner(instance);
  await cliJson(instance.configPath, 'owners', 'add', boss, '--workspace', 'acme');
  const { body } = await addDomain(instance, ann, 'remote.test');
  const visitor = createBrowser(instance.baseUrl);
  await visitor.post('/console/sign-in', { email: OWNER });
  const link = await mailedLink(instance, OWNER);
  t.equal((await owner.call('invitations/add', { email: GUEST })).status, 200);
  const invitation = await mailedLink(instance, GUEST);
  const { zone } = instance.dns;
  publish(zone, body.records);
  zone.set('mx.remote.test', 'A', ['127.0.0.1']);
  t.equal((await verifyDomain(instance, ann, body.id)).body.status, 'verified');

  t.equal((await visitor.post(link)).status, 409);
  t.equal((await visitor.post(invitation)).status, 410);
  const told = await eventually(async () => instance.receiver.messages.find(({ rcptTo }) => rcptTo.includes(boss)));
  t.match(told.raw.toString(), /remote\.test is verified/);
  t.match(told.raw.toString(), /owner@remote\.test/);
  await visitor.post('/console/sign-in', { email: OWNER });
  await instance.daemon.jobs.runAll();
  t.equal(linksMailedTo(instance, OWNER).length, 1, 'from now on nothing is mailed where agents may read it');
  t.same(instance.faults, []);
});
