import t from 'tap';
import type { DomainName } from '../../../../src/kernel/address.ts';
import { removeWorkspace } from '../../../../src/resources/workspaces/remove-workspace.ts';
import { countDomains, insertDomain } from '../../../../src/store/accounts/domains.ts';
import { processorMs } from '../../../harness/processor-ms.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

/** As a check finds eight keys of 2048 bits, and other records in their place. */
const RECORDS = Array.from({ length: 8 }, (_, n) => ({
  ...{ type: 'TXT', name: `s${n}.test`, value: 'v'.repeat(500), status: 'mismatch' },
  ...{ found: ['f'.repeat(500)], hint: 'Another value stands there.' },
})) as never;

t.test('of many domains each is removed without a look at the others', async (t) => {
  const { store, workspaceId, newId } = await openSmallStore(t, undefined, {});
  const now = Date.now();
  await store.write(async (tx) => {
    for (let n = 0; n < 300; n += 1) {
      const seen = { lastCheckedAt: now, checkResult: { hint: null, records: RECORDS } };
      const row = { id: newId<'domain'>(), workspaceId, name: `d${n}.test` as DomainName, createdAt: now, ...seen };
      await insertDomain(tx, { ...row, kind: 'custom', status: 'verified', verifiedAt: now }, []);
    }
  });
  const before = processorMs();
  await store.write((tx) => removeWorkspace(tx, workspaceId, now));
  t.ok(processorMs() - before < 700, `${processorMs() - before} ms`);
  t.equal(await countDomains(store.read, workspaceId), 1, 'its own stays');
});
