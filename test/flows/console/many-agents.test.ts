/** A workspace with more agents than one screen counts: the mail of each is shown. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

/** Home counts 200. */
const AGENTS = 205;

t.test('mail and bookings of all agents are listed, and Home counts those with the latest mail', async (t) => {
  await using instance = await startInstance();
  const added = await asOperator(instance, async (call) => {
    const all: { handle: string; address: string; api_key: string }[] = [];
    for (let n = 0; n < AGENTS; n += 1) {
      all.push(await call(contracts.agents.add, { workspace: 'acme', handle: `crowd-${n}` }));
    }
    return all;
  });
  const owner = await signInOwner(instance);
  const mails = async (input: object) => (await owner.call('inbox/threads', { show: 'open', ...input })).body;
  t.same(await mails({}), { threads: [], next_cursor: null });

  const used = [AGENTS - 1, 0, AGENTS - 2].flatMap((at) => added[at] ?? []);
  for (const { handle, address } of used) {
    await sendMail(instance.smtpPort, { to: [address], headers: { Subject: `For ${handle}` } });
  }
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null && seen.length < 10; ) {
    const page = await mails({ limit: 1, ...(cursor && { cursor }) });
    seen.push(...page.threads.map(({ agent, subject }: { agent: string; subject: string }) => `${agent}: ${subject}`));
    cursor = page.next_cursor;
  }
  t.same(seen, used.map(({ handle }) => `${handle}: For ${handle}`).reverse(), 'one by one');
  t.equal((await mails({})).threads.length, used.length, 'and together');
  t.match(
    (await owner.call('inbox/search', { q: '"crowd 204"', limit: 5 })).body.hits.map(
      ({ agent }: { agent: string }) => agent,
    ),
    ['crowd-204'],
  );

  const { body: counts } = await owner.call('home/agents', {});
  t.equal(counts.agents.length, 200);
  const unread = counts.agents.filter((agent: { unread: number }) => agent.unread > 0);
  t.same(
    unread.map(({ agent }: { agent: string }) => agent),
    ['crowd-0', 'crowd-203', 'crowd-204'],
    'in the order in which they were added',
  );

  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const mail = { to: ['a@remote.test'], subject: 'Later', body: 'Hi', send_at };
  for (const { handle, address, api_key: key } of used.slice(0, 1)) {
    await instance.client({ handle, address, key }).messages.send(mail);
  }
  t.match((await owner.call('booked/list', {})).body, { booked: [{ agent: 'crowd-204' }], next_cursor: null });
});
