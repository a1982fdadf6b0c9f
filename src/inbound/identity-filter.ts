/** Whether an identity wants a mail: its rules, then its mode. */

import { type Address, addressKey } from '../kernel/address.ts';
import { UNCHECKED } from '../mail/defects.ts';
import { isAddressInWorkspace } from '../store/agents.ts';
import { isCorrespondent } from '../store/correspondents.ts';
import type { Recipient } from '../store/recipients.ts';
import { findRulesFor, type Rule } from '../store/rules.ts';
import type { Db } from '../store/store.ts';
import type { Examined } from '../workers/tasks.ts';

type Checked = Pick<Examined, 'authentication' | 'defects'>;

export type FilterResult = 'accepted' | 'blocked_sender' | 'not_whitelisted';

/**
 * Whether a From address may be believed where a rule would let it in: not one that fails DMARC under any record, nor
 * one that fails SPF where there is no record, nor one that nobody could check.
 */
const isBelievable = ({ authentication: { dmarc, spf, dmarcPolicy }, defects }: Checked): boolean =>
  dmarc !== 'fail' && !(dmarcPolicy === null && spf === 'fail') && !defects.includes(UNCHECKED);

/** The address itself before its domain; within a kind, block wins. A nearer domain says no more than a farther one. */
const ruling = (rules: Rule[]): 'allow' | 'block' | null => {
  for (const match of ['exact_email', 'domain'] as const) {
    const actions = rules.filter((rule) => rule.match === match).map(({ action }) => action);
    if (actions.includes('block')) return 'block';
    if (actions.includes('allow')) return 'allow';
  }
  return null;
};

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
  const known =
    verdict === 'allow' ||
    (await isCorrespondent(db, recipient.mailboxId, sender)) ||
    (await isAddressInWorkspace(db, recipient.workspaceId, sender));
  return known ? 'accepted' : 'not_whitelisted';
};
