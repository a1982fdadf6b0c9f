/**
 * sqlite-vec, the extension that compares vectors. It is loaded into connections of search threads alone, with their first
 * query that has a vector: the data file itself needs it for nothing.
 */

import Database from 'better-sqlite3';
import { messageOf } from '../../../kernel/text/message-of.ts';

/** @throws where the machine's platform has none */
export const loadVectorExtension = async (connection: Database.Database): Promise<void> => {
  const { getLoadablePath } = await import('sqlite-vec');
  connection.loadExtension(getLoadablePath());
};

export const findVectorFault = async (): Promise<string | null> => {
  const connection = new Database(':memory:');
  try {
    await loadVectorExtension(connection);
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    connection.close();
  }
};
