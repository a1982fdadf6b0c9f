import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createNotebooks } from '../../../../src/resources/notes/notebook.ts';
import { insertNote, listNotes, listReaders, type Reader, setReaders } from '../../../../src/store/notes/notes.ts';
import { openSmallStore, type SmallStore } from '../../../harness/small-store.ts';

const fill = ({ store, workspaceId, newId }: SmallStore, bodies: readonly string[], readers: readonly Reader[]) =>
  store.write(async (tx) => {
    for (const body of bodies) {
      const note = { id: newId<'note'>(), workspaceId, title: null, body, createdAt: 1, updatedAt: 1, ...BARE };
      await insertNote(tx, note, readers);
    }
  });

const BARE = { makerKind: null, makerId: null, makerName: null, revision: 1 } as const;

const READING = { chars: 1_000, pause: async () => {} };

t.test('what others alone may read costs a reader a bounded number of steps', async (t) => {
  let queries = 0;
  const small = await openSmallStore(t, systemClock, { onQuery: () => (queries += 1) });
  const { store, workspaceId, newId, agentId } = small;
  await fill(small, ['common last'], [workspaceId]);
  await fill(small, Array<string>(4_600).fill('common note'), [newId<'agent'>()]);
  const notebook = { workspaceId, readers: [workspaceId, agentId], maker: BARE, shares: [] };
  const notebooks = createNotebooks({ store, clock: systemClock, newId });
  const bodies: string[] = [];
  let emptyPages = 0;
  let cursor: string | undefined;
  do {
    queries = 0;
    const page = await notebooks.list(notebook, { q: 'common', limit: 25, ...(cursor !== undefined && { cursor }) });
    t.ok(queries <= 12, `${queries} queries`);
    bodies.push(...page.rows.map(({ body }) => body));
    if (page.rows.length === 0) emptyPages += 1;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  t.same(bodies, ['common last']);
  t.equal(emptyPages, 0);
});

t.test('readers: all agents by their workspace, or each by itself', async (t) => {
  const small = await openSmallStore(t);
  const { store, workspaceId, newId, agentId } = small;
  const other = newId<'agent'>();
  await fill(small, ['for all'], [workspaceId]);
  await fill(small, ['for both', 'for both too'], [agentId, workspaceId]);
  await fill(small, ['for another'], [other]);
  const bodiesOf = async (readers: Reader[] | null, limit = 25, before: number | null = null) =>
    (await listNotes(store.read, workspaceId, readers, before, limit, READING)).map(({ body }) => body);
  t.same(await bodiesOf([workspaceId, agentId]), ['for both too', 'for both', 'for all'], 'each once, newest first');
  t.same(await bodiesOf([workspaceId, agentId], 2), ['for both too', 'for both']);
  const [newest] = await listNotes(store.read, workspaceId, [agentId], null, 1, READING);
  t.same(await bodiesOf([workspaceId, agentId], 25, newest?.seq), ['for both', 'for all']);
  t.same(await bodiesOf([workspaceId, other]), ['for another', 'for both too', 'for both', 'for all']);
  t.equal((await bodiesOf(null)).length, 4);
  const [note] = await listNotes(store.read, workspaceId, null, null, 1, READING);
  if (!note) throw new Error('There is no note.');
  await store.write((tx) => setReaders(tx, note, [agentId, agentId]));
  t.same(await listReaders(store.read, note), [agentId]);
  await store.write((tx) => setReaders(tx, note, []));
  t.notOk((await bodiesOf([workspaceId, other])).includes('for another'));
});
