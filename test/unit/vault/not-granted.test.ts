/** What is not granted and what does not exist are told apart by nothing: words, and the work behind them. */

import { join } from 'node:path';
import t from 'tap';
import { createDispatch } from '../../../src/access/dispatch.ts';
import { createIdempotency } from '../../../src/access/idempotency.ts';
import { createActivityLog } from '../../../src/activity/activity-log.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import { type Bound, bind } from '../../../src/kernel/handlers.ts';
import type { Operation } from '../../../src/kernel/operation.ts';
import { secretsContract } from '../../../src/resources/secrets/contract.ts';
import { createSecrets } from '../../../src/resources/secrets/service.ts';
import { writeKeyFile } from '../../../src/seal/key-file.ts';
import { createLeakGuard } from '../../../src/vault/leak-guard.ts';
import { createVault } from '../../../src/vault/vault.ts';
import { openVaultKeys } from '../../../src/vault/vault-keys.ts';
import { agentCaller } from '../../harness/caller.ts';
import { openSmallStore } from '../../harness/small-store.ts';

t.test('the same refusal after the same queries', async (t) => {
  const queries: string[] = [];
  const onQuery = ({ sql }: { sql: string }) => queries.push(sql);
  const { store, newId, workspaceId, agentId, mailboxId } = await openSmallStore(t, systemClock, { onQuery });
  const path = join(t.testdir(), 'vault.key');
  writeKeyFile(path);
  const file = { path, isCredential: false };
  const keys = await openVaultKeys({ store, clock: systemClock, file, resealLegacy: async () => true });
  const vault = createVault({ keys, leakGuard: createLeakGuard(keys), clock: systemClock, newId });
  const value = { username: 'a', password: 'a password', totp_seed: 'GEZDGNBVGY3TQOJQ' };
  const secret = await store.write((tx) => vault.add(tx, { workspaceId, name: 'S', type: 'login', tags: [], value }));

  const activity = createActivityLog({ clock: systemClock, newId }, null);
  const dispatch = createDispatch({ read: store.read, idempotency: createIdempotency(store, systemClock), activity });
  const bound: Bound<Operation>[] = bind(secretsContract, createSecrets({ store, clock: systemClock, vault }));
  const scopes = new Set(['vault'] as const);
  const caller = agentCaller({ workspaceId, agentId, mailboxId, keyId: newId<'key'>(), scopes });
  const attempt = async (operation: Operation, id: string) => {
    queries.length = 0;
    const found = bound.find((each) => each.operation === operation);
    if (!found) throw new Error('Not bound.');
    const incoming = { caller, input: { id }, idempotencyKey: null, via: 'REST' } as const;
    const error = await dispatch(found, incoming).catch((refusal: unknown) => refusal);
    if (!(error instanceof ApiError)) throw new Error('It was answered.');
    const { code, hint, fields, status } = error;
    return { code, hint, fields, status, queries: [...queries] };
  };
  for (const operation of [secretsContract.get, secretsContract.totp]) {
    const notGranted = await attempt(operation, secret.id);
    t.same(notGranted, await attempt(operation, newId<'secret'>()), operation.name);
    t.match(notGranted, { code: 'secret_not_found_or_not_granted', status: 404, fields: {} });
    t.ok(notGranted.queries.length >= 2);
  }
});
