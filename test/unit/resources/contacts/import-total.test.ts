import t from 'tap';
import type { OwnerCaller } from '../../../../src/kernel/caller.ts';
import { createExchange, createImport } from '../../../../src/resources/contacts/exchange/service.ts';

const caller = { kind: 'owner', workspaceId: 'w', name: 'owner:o@remote.test' } as OwnerCaller;

t.test('the rows of an import are counted up to as many as a file may have', async (t) => {
  const totals: (number | null)[] = [];
  const run = async ({ total }: { total: number | null }) => {
    totals.push(total);
    throw new Error('not read');
  };
  const needs = { underWay: { run, list: () => [] } } as unknown as Parameters<typeof createImport>[0];
  const importCsv = (csv: string | Uint8Array) =>
    t.rejects(Promise.resolve(createImport(needs).import(caller, { csv }, null as never)));
  await importCsv(Buffer.alloc(200_000, '\n'));
  await importCsv('\n'.repeat(200_000));
  await importCsv('email\na@x.example\n');
  const vcard = 'BEGIN:VCARD\n'.repeat(200_000);
  await t.rejects(Promise.resolve(createExchange(needs).importVCards(caller, { vcard }, null as never)));
  t.same(totals, [100_000, 100_000, 2, 100_000]);
});
