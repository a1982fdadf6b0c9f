/** Writes acts to the activity log, each in the transaction of the act. */

import type { Via } from '../kernel/caller.ts';
import { type Clock, DAY } from '../kernel/clock.ts';
import type { NewId } from '../kernel/ids.ts';
import type { Act, ActivityAction } from '../kernel/operation.ts';
import {
  type ActivityHead,
  deletePurgedActivity,
  findActivityHead,
  hasActivityMac,
  insertActivity,
  listActivityChain,
  updateActivityHead,
} from '../store/activity/activity-log.ts';
import type { Store, Tx } from '../store/store.ts';
import { toText } from '../store/values.ts';
import { type ChainKey, headMac, isOwnHead, rowHash, rowMac, TAMPERED } from './chain.ts';

export interface RecordedAct extends Act {
  /** An agent's handle, an owner's address, `operator` or `postroom`. */
  actor: string;
  action: ActivityAction;
  via: Via;
}

export interface ActivityLog {
  record(tx: Tx, act: RecordedAct): Promise<void>;
  /** An act of the daemon's own. */
  recordOwn(tx: Tx, action: ActivityAction, act: Act): Promise<void>;
  /** Removes acts older than `days`; the rest stays verifiable. */
  purge(store: Store, days: number): Promise<void>;
}

/** The actor of the daemon's own acts. */
export const DAEMON = 'postroom';

/** Characters of an actor and a subject. */
const MAX_NAME = 320;
/** Characters of the detail's JSON; a note replaces a longer one. */
const MAX_DETAIL = 4_000;
/** Rows that one transaction removes, for which other writers wait. */
const PURGED_AT_ONCE = 1_000;

/** In the store's form, so that the hash covers the text as it is read later. */
const toStored = (text: string): string => toText(text.slice(0, MAX_NAME).toWellFormed());

const toDetail = (detail: Act['detail'] = {}): string => {
  const text = JSON.stringify(detail);
  return text.length > MAX_DETAIL ? JSON.stringify({ too_long: text.length }) : text;
};

const tampering = ({ seq, purgedSeq, mac }: ActivityHead): RecordedAct => ({
  workspaceId: null,
  actor: DAEMON,
  action: TAMPERED,
  subject: 'activity',
  via: 'daemon',
  detail: { seq, purged_seq: purgedSeq, head_mac: mac === null ? 'missing' : 'wrong' },
});

export const createActivityLog = ({ clock, newId }: { clock: Clock; newId: NewId }, key: ChainKey): ActivityLog => {
  const moveHead = async (tx: Tx, head: Omit<ActivityHead, 'mac'>): Promise<ActivityHead> => {
    const moved = { ...head, mac: headMac(key, head) };
    await updateActivityHead(tx, moved);
    return moved;
  };

  /** Whether the head is not this log's own: cutting off an end of the log leaves such a head. */
  const isTampered = async (tx: Tx, head: ActivityHead): Promise<boolean> => {
    if (key === null) return false;
    const lastHasMac = head.mac === null ? await hasActivityMac(tx.db, head.seq) : null;
    return !isOwnHead(key, head, lastHasMac);
  };

  const append = async (
    tx: Tx,
    head: ActivityHead,
    { workspaceId, actor, action, subject, via, detail }: RecordedAct,
  ): Promise<ActivityHead> => {
    const row = {
      seq: head.seq + 1,
      id: newId<'activity'>(),
      workspaceId,
      at: clock.now(),
      actor: toStored(actor),
      action,
      subject: toStored(subject),
      via,
      detail: toDetail(detail),
    };
    const hash = rowHash(head.hash, row);
    const moved = await moveHead(tx, { ...head, seq: row.seq, hash });
    await insertActivity(tx, { ...row, hash, mac: rowMac(key, hash) });
    return moved;
  };

  const record: ActivityLog['record'] = async (tx, act) => {
    const found = await findActivityHead(tx.db);
    // The next head would have a valid MAC again, so the finding is recorded as a row of the chain.
    const head = (await isTampered(tx, found)) ? await append(tx, found, tampering(found)) : found;
    await append(tx, head, act);
  };

  /** @returns whether there may be more */
  const purgeSome = (store: Store, before: number): Promise<boolean> =>
    store.write(async (tx) => {
      const head = await findActivityHead(tx.db);
      // Without the key the head's MAC cannot be renewed: old rows stay until the key is available.
      if (key === null && head.mac !== null) return false;
      const oldest = await listActivityChain(tx.db, head.purgedSeq, head.seq, PURGED_AT_ONCE);
      // Removes only a prefix of the chain: rows after a kept row are kept, whatever their time.
      const kept = oldest.findIndex(({ at }) => at >= before);
      const last = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1);
      if (!last) return false;
      await moveHead(tx, { ...head, purgedSeq: last.seq, purgedHash: last.hash });
      await deletePurgedActivity(tx, last.seq);
      return kept === -1 && oldest.length === PURGED_AT_ONCE;
    });

  return {
    record,
    recordOwn: (tx, action, act) => record(tx, { ...act, actor: DAEMON, action, via: 'daemon' }),
    purge: async (store, days) => {
      const before = clock.now() - days * DAY;
      while (await purgeSome(store, before));
    },
  };
};
