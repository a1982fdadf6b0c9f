/** The identity filter of a mailbox: its rules, then its mode. */

import { type Address, addressKey } from '../kernel/address.ts';
import { SmtpError } from '../kernel/errors.ts';
import { isAddressInWorkspace } from '../store/accounts/agents.ts';
import { findRecipient, type Recipient } from '../store/accounts/recipient-lookup.ts';
import { findRulesFor, type Rule } from '../store/accounts/rules.ts';
import { isCorrespondent } from '../store/mail/correspondents.ts';
import type { Db } from '../store/store.ts';
import type { VerifiedMessage } from '../workers/tasks.ts';

interface Checked extends Pick<VerifiedMessage, 'authentication'> {
  /** By its own authentication, an ARC override, or as local mail. */
  isAligned: boolean;
}

export type FilterResult = 'accepted' | 'blocked_sender' | 'not_whitelisted';

/**
 * Whether the From is credible enough for an allow rule: it was authenticated and neither fails DMARC, nor SPF where no
 * DMARC record exists.
 */
const isCredible = ({ authentication: { dmarc, spf, dmarcPolicy, fromDomain } }: Checked): boolean =>
  dmarc !== 'fail' && !(dmarcPolicy === null && spf === 'fail') && fromDomain !== null;

/**
 * Address rules precede domain rules; within one kind block wins, however specific the domain. Where a person's rules
 * match, they decide alone.
 */
const applyRules = (all: Rule[]): 'allow' | 'block' | null => {
  const ofPersons = all.filter(({ byPerson }) => byPerson);
  const rules = ofPersons.length > 0 ? ofPersons : all;
  for (const match of ['exact_email', 'domain'] as const) {
    const actions = rules.filter((rule) => rule.match === match).map(({ action }) => action);
    if (actions.includes('block')) return 'block';
    if (actions.includes('allow')) return 'allow';
  }
  return null;
};

/**
 * Whether the sender is a correspondent of the mailbox or an agent of its workspace. Mail by SMTP in the name of a
 * local agent is a forgery unless it is aligned, whatever the domain publishes; with a temporary error the decision is
 * deferred.
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

const cannotVerify = () =>
  new SmtpError({ code: 451, enhanced: '4.7.26', text: 'The sender could not be checked, please try again later' });

/** @throws SmtpError 451 where the sender would be accepted but could not be authenticated for now */
export const applyIdentityFilter = async (
  db: Db,
  recipient: Recipient,
  from: Address,
  mail: Checked,
): Promise<FilterResult> => {
  const sender = addressKey(from);
  const verdict = applyRules(await findRulesFor(db, recipient.agentId, sender));
  if (verdict === 'block') return 'blocked_sender';
  if (recipient.filterMode === 'blacklist') return 'accepted';
  if (!isCredible(mail)) return 'not_whitelisted';
  const known = verdict === 'allow' || (await isKnownSender(db, recipient, sender, mail));
  // A filtered mail is lost, so one that would be accepted but for a temporary DNS error is deferred.
  if (known && mail.authentication.dmarc === 'temperror') throw cannotVerify();
  return known ? 'accepted' : 'not_whitelisted';
};
