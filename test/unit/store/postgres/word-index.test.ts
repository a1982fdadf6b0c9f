import type { CompiledQuery } from 'kysely';
import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { engineOf } from '../../../../src/store/engine.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { createClient } from '../../../../src/store/postgres/connections.ts';
import { startPostgres } from '../../../harness/postgres/postgres-server.ts';

t.test('rows of a term that have other words too are found without a join, which takes long to plan', async (t) => {
  await using server = await startPostgres();
  const queries: CompiledQuery[] = [];
  const store = await openStore(
    { engine: 'postgres', url: server.url },
    { now: systemClock.now(), onQuery: (query) => queries.push(query) },
  );
  t.teardown(() => store.close());
  const rows = [
    { seq: 1, terms: ['wann', 'wbob', 'wcarol'] },
    { seq: 2, terms: ['wann', 'wbob'] },
  ];
  await store.write(({ db }) => engineOf(db).wordIndex.put('contact_terms', rows));
  const beginning = (term: string) => [{ term, isBeginning: true }];
  const wanted = { groups: [[{ term: 'wann', isBeginning: false }], beginning('wb'), beginning('wc')], without: [] };
  const { wordIndex } = engineOf(store.read);
  t.same(await wordIndex.findRows('contact_terms', wanted, 10, 5), [1]);
  const { sql, parameters } = queries.at(-1) ?? { sql: '', parameters: [] };

  const client = createClient(server.url);
  await client.connect();
  t.teardown(() => client.end());
  const { rows: plan } = await client.query(`explain ${sql}`, [...parameters]);
  t.notMatch(JSON.stringify(plan), 'Join');
  t.match(JSON.stringify(plan), 'SubPlan');
});
