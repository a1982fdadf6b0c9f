/** Verifies stored data: the file, the bytes of each mail, the activity log, the vault's key. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { ChainKey } from '../activity/chain.ts';
import { verifyActivity } from '../activity/verify-activity.ts';
import type { FileVerdict, TextIndexVerdict } from '../store/data-files.ts';
import { listRawMessages } from '../store/mail/raw-messages.ts';
import type { Db } from '../store/store.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MESSAGES_AT_ONCE = 50;
const RESTORE = 'Restore a backup: postroom restore FILE --replace';

/** @param ofOlder the finding for an older version: intact data, or an installation that its commands refuse */
export const checkSchema = ({ pending, unknown }: FileVerdict['schema'], ofOlder: typeof warn): Finding => {
  if (unknown.length > 0)
    return fail('schema', `Written by a newer version: ${unknown.join(', ')}`, 'Run that version.');
  return pending.length > 0
    ? ofOlder('schema', `Of an older version: it lacks ${pending.join(', ')}`, 'postroom migrate')
    : ok('schema', 'Of this version.');
};

/** @param file the engine's verification */
export const checkFile = ({ damage, danglingReferences, schema }: FileVerdict): Finding[] => [
  damage.length === 0
    ? ok('data_file', 'Every page and index is whole.')
    : fail('data_file', `Damaged: ${damage.join('; ')}`, RESTORE),
  danglingReferences.length === 0
    ? ok('references', 'Every reference between rows leads to one.')
    : fail('references', `Rows refer to rows that are not there: ${danglingReferences.join(', ')}`, RESTORE),
  checkSchema(schema, warn),
];

/** Searches are correct in every state; without an index they take longer. */
export const checkTextIndex = ({ file, state, behind }: TextIndexVerdict): Finding => {
  const name = 'search_index';
  if (state === 'damaged') {
    return warn(name, `${file} is damaged; no mail is lost.`, `Stop the daemon and run postroom compact.`);
  }
  if (state === 'foreign') return ok(name, 'Of other data or another version; the daemon makes it again.');
  if (state === 'missing') return ok(name, `Not there; the daemon makes it from ${behind} texts.`);
  return ok(name, behind === 0 ? 'It has all texts.' : `It is whole; the daemon adds ${behind} texts.`);
};

/** Decompresses the bytes of every mail. */
const checkMail = async (db: Db): Promise<Finding> => {
  let after = 0;
  let read = 0;
  const broken: number[] = [];
  for (;;) {
    const rows = await listRawMessages(db, after, MESSAGES_AT_ONCE);
    for (const { id, mime, size } of rows) {
      try {
        if (zstdDecompressSync(mime).length !== size) broken.push(id);
      } catch {
        broken.push(id);
      }
      after = id;
      read += 1;
    }
    if (rows.length < MESSAGES_AT_ONCE) break;
    await yieldToLoop();
  }
  return broken.length === 0
    ? ok('mail', `The bytes of all mails are whole (${read}).`)
    : fail('mail', `The bytes of ${broken.length} of ${read} mails are damaged.`, RESTORE);
};

const checkActivity = async (db: Db, key: ChainKey): Promise<Finding> => {
  const { ok: isWhole, rows, faults } = await verifyActivity(db, key);
  return isWhole
    ? ok('activity', `The chain of ${rows} acts is whole.`)
    : fail('activity', `The chain is broken: ${faults[0]?.fault ?? 'unknown'}.`, 'postroom activity verify');
};

/** As vault/ tells it. */
export type VaultState = 'open' | 'late' | 'missing' | 'refused' | 'other';

export const VAULT_FIXES: Readonly<Record<Exclude<VaultState, 'open' | 'late'>, string>> = {
  missing: 'Put the key file back from your copy of it.',
  refused: 'Make it 32 bytes, mode 0600 or 0400, owned by the daemon’s user.',
  other:
    'Put the key file back under which the data was sealed: after a rotation on another box the one that is there now, after a restore an earlier one, beside it as .old.',
};

export const checkVaultKey = (state: VaultState, keyFile: string): Finding =>
  state === 'open' || state === 'late'
    ? ok('vault_key', `${keyFile} opens what is sealed.`)
    : fail('vault_key', `${keyFile}: ${state}`, VAULT_FIXES[state]);

export interface DataNeeds {
  db: Db;
  activityKey: ChainKey;
  vaultState: VaultState;
  keyFile: string;
}

export const checkData = async ({ db, activityKey, vaultState, keyFile }: DataNeeds): Promise<Finding[]> => [
  await checkMail(db),
  await checkActivity(db, activityKey),
  checkVaultKey(vaultState, keyFile),
];
