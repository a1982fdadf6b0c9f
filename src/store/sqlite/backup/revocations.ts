/**
 * The list, beside the data, of revoked keys and connections. An older backup still has them as live; a restore reads
 * the list and ends them.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { syncPath } from '../../../kernel/files/sync.ts';
import { keepPrivate } from '../private-file.ts';

const listOf = (file: string): string => `${file}.ended`;

/** Written to disk before the commit of the revocation: a crash between them revokes one too many at most. */
export const noteRevocation = (file: string, id: Uint8Array): void => {
  const list = listOf(file);
  keepPrivate(list);
  appendFileSync(list, `${Buffer.from(id).toString('hex')}\n`);
  syncPath(list);
};

const readRevocations = (file: string): Buffer[] => {
  const list = listOf(file);
  if (!existsSync(list)) return [];
  const lines = new Set(readFileSync(list, 'utf8').split('\n'));
  return [...lines].filter(Boolean).map((line) => Buffer.from(line, 'hex'));
};

/** The columns of ids by table. An id identifies one thing, so it is searched in all of them. */
const REVOCATIONS: Readonly<Record<string, string>> = {
  api_keys: `update api_keys set revoked_at = @now where revoked_at is null and (id = @id or agent_id = @id
    or agent_id in (select id from agents where workspace_id = @id))`,
  oauth_records: 'delete from oauth_records where grant_id = @id and @now',
  oauth_grants: 'delete from oauth_grants where id = @id and @now',
  passkeys: 'delete from passkeys where id = @id and @now',
};

/**
 * Applies the list to a file that is to be restored. Ends all sessions, because a new one costs only a mailed link.
 * @param file the data, beside which the list is
 * @param restored of any version that was ever released
 */
export const endWhatHasEnded = (file: string, restored: string, now: number): void => {
  const ids = readRevocations(file);
  const db = new Database(restored);
  try {
    const tables = new Set(db.prepare('select name from sqlite_master').pluck().all());
    const statements = Object.keys(REVOCATIONS).filter((table) => tables.has(table));
    const prepared = statements.map((table) => db.prepare(REVOCATIONS[table] ?? ''));
    db.transaction(() => {
      if (tables.has('owner_sessions')) db.exec('delete from owner_sessions');
      for (const id of ids) for (const statement of prepared) statement.run({ id, now });
    })();
  } finally {
    db.close();
  }
};
