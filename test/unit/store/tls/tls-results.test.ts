import t from 'tap';
import {
  addTlsResult,
  listDueTlsReports,
  listTlsResults,
  rescheduleTlsReport,
  type TlsResultCount,
} from '../../../../src/store/tls/tls-results.ts';
import { openTestStore } from '../../../harness/small-store.ts';

const DAY = Date.UTC(2026, 10, 21);
const DUE = DAY + 86_400_000;

const count = (change: Partial<TlsResultCount>): TlsResultCount => ({
  domain: 'remote.test',
  day: DAY,
  policy: '{}',
  failure: 'certificate-expired',
  mxHost: 'mx.remote.test',
  sendingIp: '192.0.2.1',
  receivingIp: '192.0.2.2',
  reason: 'over',
  sessions: 1,
  ...change,
});

t.test('sessions add up, and what a domain can make us keep is bounded', async (t) => {
  const { store } = await openTestStore(t, { now: DAY });
  const add = (change: Partial<TlsResultCount>) => store.write((tx) => addTlsResult(tx, count(change), DUE));
  const rows = () => listTlsResults(store.read, 'remote.test', DAY);
  await add({});
  await add({ sessions: 2, reason: 'another' });
  t.match(await rows(), [{ sessions: 3, reason: 'over' }]);

  for (let host = 0; host < 300; host += 1) await add({ mxHost: `mx${host}.remote.test` });
  t.equal((await rows()).length, 101);
  const sum = (await rows()).reduce((total, { sessions }) => total + sessions, 0);
  t.equal(sum, 303, 'beyond the bound they are counted without their hosts');

  for (let policy = 0; policy < 300; policy += 1) await add({ policy: `{"strings":["${policy}"]}` });
  t.equal((await rows()).length, 200);
  await add({ domain: 'other.test' });
  t.equal((await listTlsResults(store.read, 'other.test', DAY)).length, 1);
});

t.test('a report is due once', async (t) => {
  const { store } = await openTestStore(t, { now: DAY });
  const due = (now: number) => listDueTlsReports(store.read, now, 10);
  await store.write((tx) => addTlsResult(tx, count({}), DUE));
  await store.write((tx) => addTlsResult(tx, count({ failure: '' }), DUE + 5));
  t.same(await due(DUE - 1), []);
  const report = { domain: 'remote.test', day: DAY, urls: null };
  t.same(await due(DUE), [report]);
  await store.write((tx) => rescheduleTlsReport(tx, { ...report, urls: ['https://a.test/'] }, DUE + 10));
  t.same(await due(DUE + 9), []);
  t.same(await due(DUE + 10), [{ ...report, urls: ['https://a.test/'] }]);
  await store.write((tx) => rescheduleTlsReport(tx, report, null));
  t.same(await due(DUE + 1_000_000), []);
});
