/** Makes the indexes of a copy from its rows, a batch in a transaction. */

import { putContactWords } from '../contacts/contact-keys.ts';
import { contacts } from '../contacts/contacts-mappings.ts';
import { listTextsAfter } from '../mail/message-texts.ts';
import { indexNote, listReaders } from '../notes/notes.ts';
import { notes } from '../notes/notes-mappings.ts';
import { above, listRows } from '../rows.ts';
import { toPassageTerms, toTermPrefix } from '../search/passages/passage-search.ts';
import type { CopiedSide, IndexName, IndexTx } from './copied-side.ts';

const AT_ONCE = 100;

/** Indexes the next rows. @returns the highest and how many; null: there are no more */
type IndexRows = (tx: IndexTx, after: number) => Promise<{ last: number; count: number } | null>;

const ended = (seqs: readonly { readonly seq: number }[]) => {
  const last = seqs.at(-1);
  return last ? { last: last.seq, count: seqs.length } : null;
};

const indexMail: IndexRows = async ({ db, addTexts }, after) => {
  const texts = await listTextsAfter(db, after, AT_ONCE);
  await addTexts(texts);
  return ended(texts);
};

const indexPassages: IndexRows = async ({ db, passageIndex }, after) => {
  const rows = await db
    .selectFrom('knowledge_passages as a')
    .innerJoin('knowledge_pages as p', 'p.seq', 'a.page_seq')
    .innerJoin('knowledge_books as b', 'b.workspace_id', 'p.workspace_id')
    .select(['a.seq', 'a.heading', 'a.text', 'a.is_lead', 'p.title', 'b.number'])
    .where('a.seq', '>', after)
    .orderBy('a.seq')
    .limit(AT_ONCE)
    .execute();
  for (const { seq, heading, text, is_lead: isLead, title, number } of rows) {
    const terms = toPassageTerms({ heading, text, isLead: isLead === 1 }, title, toTermPrefix(number));
    await passageIndex.add(seq, terms);
  }
  return ended(rows);
};

const indexContacts: IndexRows = async (tx, after) => {
  const rows = await listRows(tx.db, contacts, { seq: above(after) }, { order: { seq: 'asc' }, limit: AT_ONCE });
  if (rows.length > 0) await putContactWords(tx, rows);
  return ended(rows);
};

const indexNotes: IndexRows = async (tx, after) => {
  const rows = await listRows(tx.db, notes, { seq: above(after) }, { order: { seq: 'asc' }, limit: AT_ONCE });
  for (const note of rows) await indexNote(tx, note, await listReaders(tx.db, note));
  return ended(rows);
};

const INDEXES: Readonly<Record<IndexName, IndexRows>> = {
  mail: indexMail,
  passages: indexPassages,
  contacts: indexContacts,
  notes: indexNotes,
};

/** Goes on behind what is indexed already. @param onRows told how many more rows were indexed */
export const indexCopy = async (side: CopiedSide, onRows: (index: IndexName, count: number) => void): Promise<void> => {
  for (const [name, indexRows] of Object.entries(INDEXES) as [IndexName, IndexRows][]) {
    let after = await side.findLastIndexed(name);
    while (after !== null) {
      const from = after;
      const indexed = await side.index((tx) => indexRows(tx, from));
      if (indexed) onRows(name, indexed.count);
      after = indexed?.last ?? null;
    }
  }
};
