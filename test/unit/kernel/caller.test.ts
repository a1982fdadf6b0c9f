import t from 'tap';
import { mailboxOf } from '../../../src/kernel/caller.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import { agentCaller } from '../../harness/caller.ts';

t.test('an agent without a mailbox has no identity', (t) => {
  const caller = agentCaller();
  t.equal(mailboxOf(caller), 'm');
  t.throws(() => mailboxOf({ ...caller, mailboxId: null }), new ApiError('no_identity'));
  t.end();
});
