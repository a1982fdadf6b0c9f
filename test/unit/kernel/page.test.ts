import t from 'tap';
import type { Id } from '../../../src/kernel/ids.ts';
import { byCreationTime, byTimeAndId, readPage } from '../../../src/kernel/page.ts';

interface Row {
  id: Id<'row'>;
  createdAt: number;
}

const rows: Row[] = [5, 4, 3, 2, 1].map((createdAt) => ({
  id: `00000000-0000-7000-8000-00000000000${createdAt}` as Id<'row'>,
  createdAt,
}));

const newestFirst = byTimeAndId<'row', Row>(({ createdAt }) => createdAt);

t.test('pages follow each other without a gap or a repetition, whatever their size', async (t) => {
  for (const limit of [1, 2, 3, 4, 5, 6]) {
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await readPage({ limit, cursor }, newestFirst, async (after, count) =>
        rows.filter(({ createdAt }) => after === null || createdAt < after.at).slice(0, count),
      );
      t.ok(page.rows.length <= limit);
      seen.push(...page.rows.map(({ createdAt }) => createdAt));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    t.same(seen, [5, 4, 3, 2, 1], `limit ${limit}`);
  }
});

t.test('a last page that is full has no cursor, and an empty list neither', async (t) => {
  const all = await readPage({ limit: 5 }, newestFirst, async (_after, count) => rows.slice(0, count));
  t.equal(all.next_cursor, null);
  t.same(await readPage({ limit: 5 }, newestFirst, async () => []), { rows: [], next_cursor: null });
});

t.test('a cursor of another form is refused', async (t) => {
  const { next_cursor } = await readPage<Row, number>({ limit: 1 }, byCreationTime, async () => rows);
  const other = { limit: 1, cursor: next_cursor ?? '' };
  await t.rejects(
    readPage(other, newestFirst, async () => rows),
    { code: 'invalid_request' },
  );
  for (const cursor of ['', 'x', Buffer.from('[1,"no id"]').toString('base64url')]) {
    await t.rejects(
      readPage({ limit: 1, cursor }, newestFirst, async () => rows),
      { code: 'invalid_request' },
      cursor,
    );
  }
});
