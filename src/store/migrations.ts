/** Every migration, in order. One that has landed is never edited; the next is added below it. */

import * as initialSchema from './migrations/0001-0020/0001-the-house.ts';
import * as theSendGate from './migrations/0001-0020/0002-the-send-gate.ts';
import * as defects from './migrations/0001-0020/0003-defects.ts';
import * as webhooks from './migrations/0001-0020/0004-webhooks.ts';
import * as theQueue from './migrations/0001-0020/0005-the-queue.ts';
import * as tempAddresses from './migrations/0001-0020/0006-temp-addresses.ts';
import * as tls from './migrations/0001-0020/0007-tls.ts';
import * as reputation from './migrations/0001-0020/0008-reputation.ts';
import * as notices from './migrations/0001-0020/0009-notices.ts';
import * as openTokens from './migrations/0001-0020/0010-open-tokens.ts';
import * as foreignReports from './migrations/0001-0020/0011-foreign-reports.ts';
import * as senderDoubts from './migrations/0001-0020/0012-sender-doubts.ts';
import * as attachmentNames from './migrations/0001-0020/0013-attachment-names.ts';
import * as sending from './migrations/0001-0020/0014-sending.ts';
import * as dueDeliveries from './migrations/0001-0020/0015-due-deliveries.ts';
import * as contacts from './migrations/0001-0020/0016-contacts.ts';
import * as notes from './migrations/0001-0020/0017-notes.ts';
import * as activity from './migrations/0001-0020/0018-activity.ts';
import * as vault from './migrations/0001-0020/0019-vault.ts';
import * as heldSecrets from './migrations/0001-0020/0020-held-secrets.ts';
import * as domainChecks from './migrations/0021-0040/0021-domain-checks.ts';
import * as owners from './migrations/0021-0040/0022-owners.ts';
import * as removedAgents from './migrations/0021-0040/0023-removed-agents.ts';
import * as guessedSecrets from './migrations/0021-0040/0024-guessed-secrets.ts';
import * as wordBeginnings from './migrations/0021-0040/0025-word-beginnings.ts';
import * as knowledge from './migrations/0021-0040/0026-knowledge.ts';
import * as oauth from './migrations/0021-0040/0030-oauth.ts';
import * as ownersConsole from './migrations/0021-0040/0034-console.ts';
import * as webhookMakers from './migrations/0021-0040/0038-webhook-makers.ts';
import * as ownerInvitations from './migrations/0021-0040/0039-owner-invitations.ts';
import * as webhookGrants from './migrations/0041-0060/0050-webhook-grants.ts';
import * as embeddings from './migrations/0041-0060/0055-embeddings.ts';
import * as heldBounds from './migrations/0041-0060/0057-held-bounds.ts';
import * as endedOwners from './migrations/0041-0060/0058-ended-owners.ts';
import * as reach from './migrations/0041-0060/0060-reach.ts';
import * as bookedBy from './migrations/0061-0080/0061-booked-by.ts';
import * as noteMakers from './migrations/0061-0080/0062-note-makers.ts';
import * as secondThoughts from './migrations/0061-0080/0067-second-thoughts.ts';
import * as sendingDomains from './migrations/0061-0080/0071-sending-domains.ts';
import * as packedTexts from './migrations/0061-0080/0072-packed-texts.ts';
import * as textsIndex from './migrations/0061-0080/0073-texts-index.ts';
import * as ownersMail from './migrations/0061-0080/0074-owners-mail.ts';
import * as heldByTime from './migrations/0061-0080/0075-held-by-time.ts';
import * as seedGrants from './migrations/0061-0080/0076-seed-grants.ts';
import * as wordIndexes from './migrations/0061-0080/0077-word-indexes.ts';
import * as setUp from './migrations/0061-0080/0078-set-up.ts';
import * as mailDays from './migrations/0061-0080/0079-mail-days.ts';
import * as contactsApart from './migrations/0061-0080/0080-contacts-apart.ts';
import * as toldWhenAway from './migrations/0081-0100/0081-told-when-away.ts';

export interface Migration {
  readonly name: string;
  /**
   * `additive`: an older version can still work with the data; new tables, and columns and indexes that it may ignore.
   * Left out, also in migrations before this was recorded: `breaking`.
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
  heldSecrets,
  domainChecks,
  owners,
  removedAgents,
  guessedSecrets,
  wordBeginnings,
  knowledge,
  oauth,
  ownersConsole,
  webhookMakers,
  ownerInvitations,
  webhookGrants,
  embeddings,
  heldBounds,
  endedOwners,
  reach,
  bookedBy,
  noteMakers,
  secondThoughts,
  sendingDomains,
  packedTexts,
  textsIndex,
  ownersMail,
  heldByTime,
  seedGrants,
  wordIndexes,
  setUp,
  mailDays,
  contactsApart,
  toldWhenAway,
];
