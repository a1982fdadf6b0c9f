/** Every migration, in order. One that has landed is never edited; the next is added below it. */

import * as initialSchema from './0001-the-house.ts';
import * as theSendGate from './0002-the-send-gate.ts';
import * as defects from './0003-defects.ts';
import * as webhooks from './0004-webhooks.ts';
import * as theQueue from './0005-the-queue.ts';
import * as tempAddresses from './0006-temp-addresses.ts';
import * as tls from './0007-tls.ts';
import * as reputation from './0008-reputation.ts';
import * as notices from './0009-notices.ts';
import * as openTokens from './0010-open-tokens.ts';
import * as foreignReports from './0011-foreign-reports.ts';
import * as senderDoubts from './0012-sender-doubts.ts';
import * as attachmentNames from './0013-attachment-names.ts';
import * as sending from './0014-sending.ts';
import * as dueDeliveries from './0015-due-deliveries.ts';
import * as contacts from './0016-contacts.ts';
import * as notes from './0017-notes.ts';
import * as activity from './0018-activity.ts';
import * as vault from './0019-vault.ts';

export interface Migration {
  readonly name: string;
  /**
   * `additive`: an older version works with the data all the same; new tables, and columns and indexes that it may leave
   * alone. Left out, as in those before this was recorded: `breaking`.
   */
  readonly kind?: 'additive' | 'breaking';
  /** SQL, run whole in the one transaction that all pending migrations share. */
  readonly up: string;
}

export const migrations: readonly Migration[] = [
  initialSchema,
  theSendGate,
  defects,
  webhooks,
  theQueue,
  tempAddresses,
  tls,
  reputation,
  notices,
  openTokens,
  foreignReports,
  senderDoubts,
  attachmentNames,
  sending,
  dueDeliveries,
  contacts,
  notes,
  activity,
  vault,
];
