import t from 'tap';
import { type AgentCaller, mailboxOf } from '../../../src/kernel/caller.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import type { AgentId, KeyId, MailboxId, WorkspaceId } from '../../../src/kernel/ids.ts';

t.test('an agent without a mailbox has no identity', (t) => {
  const caller: AgentCaller = {
    kind: 'agent',
    isSuspended: false,
    workspaceId: 'w' as WorkspaceId,
    agentId: 'a' as AgentId,
    mailboxId: 'm' as MailboxId,
    keyId: 'k' as KeyId,
    scopes: new Set(),
  };
  t.equal(mailboxOf(caller), 'm');
  t.throws(() => mailboxOf({ ...caller, mailboxId: null }), new ApiError('no_identity'));
  t.end();
});
