/** U+0000, which PostgreSQL takes in no text, in what a call names: it names nothing, and is no fault. */

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
