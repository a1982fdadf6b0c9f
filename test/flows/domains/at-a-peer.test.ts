/** Mail of a custom domain at a Postfix whose OpenDKIM checks it, and before python3-authheaders; before and after a rotation. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { DAY } from '../../../src/kernel/clock.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { domainsContract } from '../../../src/resources/domains/contract.ts';
import { addVerified, createTestClock, publish, recordOf } from '../../harness/domains.ts';
import { REMOTE_DOMAIN, startInstance } from '../../harness/instance.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { asOperator, operatorRefusal } from '../../harness/operator.ts';
import { judgeByAuthheaders } from '../../harness/smtp/authheaders.ts';
import { startOpendkim } from '../../harness/smtp/opendkim.ts';
import { startPostfix } from '../../harness/smtp/postfix.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const DOMAIN = 'shop.example';

t.test('it passes, and goes on passing when the key is rotated without a change of DNS', async (t) => {
  const clock = createTestClock();
  const port = await freePort();
  await using instance = await startInstance({ outbound: `port = ${port}`, runtime: { clock } });
  const { zone } = instance.dns;
  const domain = await addVerified(instance, instance.agents.ann, DOMAIN);
  const { api_key: key, address } = (await asOperator(instance, (call) =>
    call(agentsContract.add, { handle: 'clerk', workspace: 'acme', domain: DOMAIN }),
  )) as { api_key: string; address: string };
  t.equal(address, `clerk@${DOMAIN}`);
  const keys = domain.records.filter(({ purpose }) => purpose === 'dkim');
  const published = Object.fromEntries(keys.map(({ name, value }) => [name, value]));
  await using milter = await startOpendkim({ verify: published });
  await using postfix = await startPostfix({ port, domains: [REMOTE_DOMAIN], milterPort: milter.port });

  const sendAndJudge = async (count: number) => {
    const { messages } = instance.client({ handle: 'clerk', address, key });
    const sent = await messages.send({ to: [`carol@${REMOTE_DOMAIN}`], subject: `Mail ${count}`, body: 'Grüße.' });
    t.equal(sent.status, 'sent');
    await eventually(() => Promise.resolve(postfix.arrived().length >= count || null));
    const stored = postfix
      .arrived()
      .map((file) => readFileSync(file))
      .find((raw) => raw.toString('latin1').includes(`Subject: Mail ${count}`));
    if (!stored) throw new Error('The mail did not arrive.');
    const text = stored.toString('latin1');
    const mailFrom = /^Return-Path: <(.+)>$/m.exec(text)?.[1] ?? '';
    t.ok(mailFrom.endsWith(`@${DOMAIN}`));
    t.equal(text.match(/dkim=pass/g)?.length, 2);
    const { dkim, header } = judgeByAuthheaders(instance, DOMAIN, stored, mailFrom);
    t.same(dkim, [true, true]);
    for (const pass of [/spf=pass/, /dkim=pass/, /dmarc=pass/]) t.match(header, pass);
    return { stored, mailFrom, text };
  };
  const rotate = () => asOperator(instance, (call) => call(domainsContract.rotateDkim, { domain: DOMAIN }));

  const before = await sendAndJudge(1);
  t.match(before.text, /s=pr1;/);
  const rotated = await rotate();
  t.equal(rotated.status, 'verified');
  t.same(
    rotated.records
      .filter(({ purpose }) => purpose === 'dkim')
      .map(({ name, required, role }) => [name, required, role]),
    [
      ['pe1', true, 'signing'],
      ['pr1', false, 'retiring'],
      ['pr2', true, 'signing'],
      ['pr3', true, 'next'],
    ].map(([selector, ...rest]) => [`${selector}._domainkey.${DOMAIN}`, ...rest]),
  );
  const after = await sendAndJudge(2);
  t.match(after.text, /s=pr2;/);
  t.notMatch(after.text, /s=pr1;/);
  t.match(judgeByAuthheaders(instance, DOMAIN, before.stored, before.mailFrom).dkim, [true, true], 'old mail verifies');

  const refused = await operatorRefusal(instance, (call) => call(domainsContract.rotateDkim, { domain: DOMAIN }));
  t.equal(refused.code, 'dkim_key_not_published');
  for (const { name } of rotated.records) zone.fail(name, 'SERVFAIL');
  const silent = await operatorRefusal(instance, (call) => call(domainsContract.rotateDkim, { domain: DOMAIN }));
  t.match(silent.fields, { hint: /could not be looked up/ }, 'what is not known is not told as missing');
  for (const { name } of rotated.records) zone.fail(name, null);
  clock.skip(DAY);
  await instance.daemon.jobs.runAll();
  const { records } = await asOperator(instance, (call) => call(domainsContract.records, { domain: DOMAIN }));
  t.match(recordOf({ records }, 'dkim', 1), { name: `pr1._domainkey.${DOMAIN}`, status: 'found' }, 'for seven days');
  const list = await asOperator(instance, (call) => call(domainsContract.list, { workspace: 'acme' }));
  t.match(
    list.domains.find((each) => each.domain === DOMAIN),
    { status: 'verified', can_send: true, dkim_status: 'verified' },
    'a next key that is not published yet breaks nothing',
  );

  clock.skip(7 * DAY);
  await instance.daemon.jobs.runAll();
  const left = await asOperator(instance, (call) => call(domainsContract.records, { domain: DOMAIN }));
  t.notOk(
    left.records.some(({ name }) => name.startsWith('pr1.')),
    'the old key has lapsed',
  );
  publish(zone, left.records);
  const again = await rotate();
  t.ok(
    again.records.some(({ name }) => name.startsWith('pr4.')),
    'a selector is not used again',
  );
  t.same(instance.faults, []);
});
