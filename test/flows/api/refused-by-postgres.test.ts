/** What PostgreSQL takes in no statement: U+0000 in text, and numbers that are no integers of 64 bits. */

import t from 'tap';
import { signInOwner } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';

const NAME = 'ann\0';

t.test('a name with U+0000 is one that is not there', async (t) => {
  await using instance = await startInstance();
  const owner = await signInOwner(instance);
  for (const [path, input] of [
    ['agents/get', { agent: NAME }],
    ['rules/add', { agent: NAME, match: 'domain', value: 'remote.test', action: 'block' }],
    ['secrets/remove', { secret: NAME }],
    ['queue/list', { workspace: NAME }],
  ] as const) {
    const { status } = await owner.call(path, input);
    t.equal(status, 404, path);
  }
  const replay = await instance.request(instance.agents.ann, 'POST', '/v1/webhooks/deliveries', { delivery_id: NAME });
  t.equal(replay.status, 404);
  t.same(instance.faults, []);
});

t.test('a cursor with a number that no row has is refused', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const ID = '01890000-0000-7000-8000-000000000000';
  for (const number of [1.5, 2 ** 53, -1e300]) {
    for (const [list, ...parts] of [
      ['messages?', number],
      ['messages/pending?', number, ID],
      ['notes?', number, ID],
      ['notes?q=word&', 'word', 'w', 'word', number],
      ['search?q=word&', 0, 1, 2, number],
      ['changes?', number, Date.now()],
    ] as const) {
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      const reply = await instance.request(ann, 'GET', `/v1/${list}cursor=${cursor}`);
      t.match(
        [reply.status, await reply.json()],
        [400, { error: 'invalid_request', hint: /not one that this list gave/ }],
        `${list} ${number}`,
      );
    }
  }
  t.same(instance.faults, []);
});
