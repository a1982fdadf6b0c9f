/** Numbers of removed texts, kept until the full-text index has removed them as well. */

import { CompiledQuery } from 'kysely';
import type { Db } from '../../store.ts';

const ADD = 'insert into removed_texts (seq) values (?)';
/** The highest number ever given stays known. */
const FORGET = `delete from removed_texts where seq in (select value from json_each(?))
  and seq < (select max(seq) from removed_texts)`;

export const createRemovedTexts = (db: Db) => ({
  add: async (seq: number): Promise<void> => {
    await db.executeQuery(CompiledQuery.raw(ADD, [seq]));
  },
  forget: async (seqs: readonly number[]): Promise<void> => {
    await db.executeQuery(CompiledQuery.raw(FORGET, [JSON.stringify(seqs)]));
  },
});
