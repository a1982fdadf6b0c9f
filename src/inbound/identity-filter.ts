/** Whether an identity wants a mail: its rules, then its mode. */

import { type Address, addressKey } from '../kernel/address.ts';
import { SmtpError } from '../kernel/errors.ts';
import { isAddressInWorkspace } from '../store/accounts/agents.ts';
import { findRecipient, type Recipient } from '../store/accounts/recipient-lookup.ts';
import { findRulesFor, type Rule } from '../store/accounts/rules.ts';
import { isCorrespondent } from '../store/mail/correspondents.ts';
import type { Db } from '../store/store.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';

interface Checked extends Pick<VerifiedMessage, 'authentication'> {
  /** By its own checks, by a trusted forwarder's, or because it came from an agent of the box without the wire. */
  isAligned: boolean;
}

export type FilterResult = 'accepted' | 'blocked_sender' | 'not_whitelisted';

/**
 * Whether a From address may be believed where a rule would let it in: not one that fails DMARC under any record, nor
 * one that fails SPF where there is no record, nor one that was not judged.
 */
const isBelievable = ({ authentication: { dmarc, spf, dmarcPolicy, fromDomain } }: Checked): boolean =>
  dmarc !== 'fail' && !(dmarcPolicy === null && spf === 'fail') && fromDomain !== null;

/** The address itself before its domain; within a kind, block wins. A nearer domain says no more than a farther one. */
const ruling = (rules: Rule[]): 'allow' | 'block' | null => {
  for (const match of ['exact_email', 'domain'] as const) {
    const actions = rules.filter((rule) => rule.match === match).map(({ action }) => action);
    if (actions.includes('block')) return 'block';
    if (actions.includes('allow')) return 'allow';
  }
  return null;
};

/**
 * Whom the mailbox wrote to, and its colleagues. An agent of the box writes from the box: mail from the wire in its name is
 * a forgery unless the checks stand for it, whatever its domain has published. One that could not be checked may come again.
 */
const isKnownSender = async (
  db: Db,
  { mailboxId, workspaceId }: Recipient,
  sender: Address,
  { authentication, isAligned }: Checked,
): Promise<boolean> => {
  const isProved = isAligned || authentication.dmarc === 'temperror';
  if (!isProved && (await findRecipient(db, sender))) return false;
  return (await isCorrespondent(db, mailboxId, sender)) || (await isAddressInWorkspace(db, workspaceId, sender));
};

const notChecked = () =>
  new SmtpError({ code: 451, enhanced: '4.7.26', text: 'The sender could not be checked, please try again later' });

/** @throws SmtpError 451 where a sender that a rule would let in could not be checked for now */
export const applyIdentityFilter = async (
  db: Db,
  recipient: Recipient,
  from: Address,
  mail: Checked,
): Promise<FilterResult> => {
  const sender = addressKey(from);
  const verdict = ruling(await findRulesFor(db, recipient.agentId, sender));
  if (verdict === 'block') return 'blocked_sender';
  if (recipient.filterMode === 'blacklist') return 'accepted';
  if (!isBelievable(mail)) return 'not_whitelisted';
  const known = verdict === 'allow' || (await isKnownSender(db, recipient, sender, mail));
  // Dropped, a mail is lost: one that would be let in if its sender could be checked has to come again.
  if (known && mail.authentication.dmarc === 'temperror') throw notChecked();
  return known ? 'accepted' : 'not_whitelisted';
};
