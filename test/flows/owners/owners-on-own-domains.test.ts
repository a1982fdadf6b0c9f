/** An owner whose address is on a domain of the workspace: no agent takes the address, and nothing is mailed to it. */

import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { addVerified, publish } from '../../harness/domains.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const OWNER = 'owner@remote.test';
const COULD_NOT = 'an owner could not be told';

const toldOf = ({ warned }: TestInstance) => warned.filter(({ message }) => message === COULD_NOT);

t.test('no agent takes the address of an owner', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { id } = await addVerified(instance, ann, 'remote.test');
  const refusal = { error: 'invalid_handle', hint: /owner@remote\.test is the address of an owner/ };
  const made = await instance.request(ann, 'POST', '/v1/mailboxes', { handle: 'owner', domain_id: id });
  t.match([made.status, await made.json()], [400, refusal]);
  const add = ['agents', 'add', '--workspace', 'acme', '--domain', 'remote.test'];
  const run = await runCli(instance.configPath, ...add, 'owner');
  t.equal(run.code, 1);
  t.match(run.stderr, /address of an owner/);
  const carl = (await cliJson(instance.configPath, ...add, 'carl')) as { api_key: string };
  const asCarl = { handle: 'carl', address: 'carl@remote.test', key: carl.api_key };
  const renamed = await instance.request(asCarl, 'PATCH', '/v1/identity', { handle: 'owner' });
  t.match([renamed.status, await renamed.json()], [400, refusal]);
  t.equal((await instance.request(ann, 'PATCH', '/v1/identity', { handle: 'owner' })).status, 200, 'on another domain');
  t.same(instance.faults, []);
});

t.test('notices go to an owner elsewhere, or to none, which the log and the command line say', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { zone } = instance.dns;
  const cli = (...words: string[]) => cliJson(instance.configPath, ...words);
  const added = (await cli('domains', 'add', 'remote.test', '--workspace', 'acme')) as { records: never[] };
  t.match(added, { owners_on_domain: [OWNER] });
  publish(zone, added.records);
  const verified = await runCli(instance.configPath, 'domains', 'verify', 'remote.test');
  t.match(verified.stdout, /The owner owner@remote\.test has an address on it: .*owners sign-in-link/);
  t.equal(verified.code, 0);

  await cli('agents', 'hold', 'ann');
  const hold = () => instance.client(ann).messages.send({ to: ['a@peer.test'], subject: 'Hi', body: 'Hi' });
  for (let n = 0; n < 3; n += 1) t.match(await hold(), { status: 'held' });
  await eventually(async () => toldOf(instance).length > 0);
  await instance.daemon.jobs.runAll();
  t.match(
    toldOf(instance),
    [{ fields: { notice: 'held', owner: OWNER, reason: /an agent may read it/ } }],
    'once a day',
  );
  t.same(instance.receiver.messages, []);

  zone.set('elsewhere.test', 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  await cli('owners', 'add', 'boss@elsewhere.test', '--workspace', 'acme');
  await hold();
  const [mail] = await instance.receiver.waitFor(1);
  t.same(mail?.rcptTo, ['boss@elsewhere.test']);
  t.same(
    (await instance.events()).filter(({ name }) => name === 'message.received'),
    [],
  );
  t.same(instance.faults, []);
});
