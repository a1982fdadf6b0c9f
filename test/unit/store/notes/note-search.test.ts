import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { listNotebook } from '../../../../src/resources/notes/notebook.ts';
import {
  deleteNote,
  findNotesBySeq,
  insertNote,
  listNoteSeqs,
  listReaders,
  type Reader,
  setReaders,
} from '../../../../src/store/notes/notes.ts';
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
  const bodies: string[] = [];
  let emptyPages = 0;
  let cursor: string | undefined;
  do {
    queries = 0;
    const page = await listNotebook(store.read, notebook, {
      q: 'common',
      limit: 25,
      ...(cursor !== undefined && { cursor }),
    });
    t.ok(queries <= 12, `${queries} queries`);
    bodies.push(...page.rows.map(({ body }) => body));
    if (page.rows.length === 0) emptyPages += 1;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  t.same(bodies, ['common last']);
  t.equal(emptyPages, 0);
});

for (const [what, q, chars] of [
  ['all', undefined, 10],
  ['found', 'note', 10],
  ['found, with fewer on a page than were looked for', 'note', 90_000],
] as const) {
  t.test(`a note that is deleted while its page is read ends no list, and has none shown twice: ${what}`, async (t) => {
    const small = await openSmallStore(t);
    const { store, workspaceId } = small;
    const bodies = Array.from({ length: 40 }, (_, at) => `note ${at} ${'.'.repeat(chars)}`);
    await fill(small, bodies, [workspaceId]);
    const notebook = { workspaceId, readers: null, maker: BARE, shares: [] };
    const removed = (await listNotebook(store.read, notebook, { limit: 10 })).rows[4];
    if (!removed) throw new Error('There are no notes.');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = listNotebook(store.read, notebook, { q, limit: 20, ...(cursor !== undefined && { cursor }) });
      if (cursor === undefined) await store.write((tx) => deleteNote(tx, removed));
      const { rows, next_cursor } = await page;
      seen.push(...rows.map(({ body }) => body));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    // It may have been read before.
    const left = bodies.filter((body) => body !== removed.body);
    t.same(
      seen.flatMap((body) => (body === removed.body ? [] : [left.indexOf(body)])),
      [...left.keys()].reverse(),
    );
  });
}

t.test('readers: all agents by their workspace, or each by itself', async (t) => {
  const small = await openSmallStore(t);
  const { store, workspaceId, newId, agentId } = small;
  const other = newId<'agent'>();
  await fill(small, ['for all'], [workspaceId]);
  await fill(small, ['for both', 'for both too'], [agentId, workspaceId]);
  await fill(small, ['for another'], [other]);
  const list = async (readers: Reader[] | null, before: number | null, limit: number) =>
    findNotesBySeq(store.read, await listNoteSeqs(store.read, workspaceId, readers, before, limit), READING);
  const bodiesOf = async (readers: Reader[] | null, limit = 25, before: number | null = null) =>
    (await list(readers, before, limit)).map(({ body }) => body);
  t.same(await bodiesOf([workspaceId, agentId]), ['for both too', 'for both', 'for all'], 'each once, newest first');
  t.same(await bodiesOf([workspaceId, agentId], 2), ['for both too', 'for both']);
  const [newest] = await list([agentId], null, 1);
  t.same(await bodiesOf([workspaceId, agentId], 25, newest?.seq), ['for both', 'for all']);
  t.same(await bodiesOf([workspaceId, other]), ['for another', 'for both too', 'for both', 'for all']);
  t.equal((await bodiesOf(null)).length, 4);
  const [note] = await list(null, null, 1);
  if (!note) throw new Error('There is no note.');
  await store.write((tx) => setReaders(tx, note, [agentId, agentId]));
  t.same(await listReaders(store.read, note), [agentId]);
  await store.write((tx) => setReaders(tx, note, []));
  t.notOk((await bodiesOf([workspaceId, other])).includes('for another'));
});
