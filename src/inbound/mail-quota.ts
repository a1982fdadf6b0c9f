/** The mail that a workspace's plan lets it keep: refuses more at RCPT, tells the owners, and measures it each night. */

import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { findPlan, type Plans } from '../config/plans.ts';
import type { Clock, Millis } from '../kernel/clock.ts';
import { SmtpError } from '../kernel/errors.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { startOfDay } from '../kernel/utc-period.ts';
import type { Recipient } from '../store/accounts/recipient-lookup.ts';
import { listMailboxesOf } from '../store/accounts/removed-workspaces.ts';
import { listWorkspaces } from '../store/accounts/workspaces.ts';
import { findKeptBytes, setFullTold, setMailBytes, sumMailBytes } from '../store/mail/kept-bytes.ts';
import type { Store, Tx } from '../store/store.ts';

const MAILS_AT_ONCE = 500;

export interface MailQuotaNeeds {
  store: Store;
  clock: Clock;
  plans: Plans;
  /** Called on the first refusal of a UTC day, in a transaction of its own. */
  notifyOwners: (tx: Tx, workspaceId: WorkspaceId, limit: number) => Promise<void>;
}

export const mailboxFull = () =>
  new SmtpError({ code: 452, enhanced: '4.2.2', text: 'The mailbox is full, try again later' });

/** Asks the database only where the plan has a limit. */
export const createHasRoom =
  ({ store, clock, plans, notifyOwners }: MailQuotaNeeds) =>
  async (recipient: Recipient): Promise<boolean> => {
    const { workspaceId, plan, fullToldDay } = recipient;
    const { mail_bytes: limit } = findPlan(plans, plan);
    if (limit === undefined || (await findKeptBytes(store.read, workspaceId, recipient)) < limit) return true;
    const day = startOfDay(clock.now());
    if (fullToldDay < day) {
      await store.write(async (tx) => {
        if (await setFullTold(tx, workspaceId, day)) await notifyOwners(tx, workspaceId, limit);
      });
    }
    return false;
  };

/** Measures, for each workspace with a limit, its mail from before today (UTC). Works in small steps. */
export const measureMail = async (store: Store, plans: Plans, now: Millis): Promise<void> => {
  const before = startOfDay(now);
  for (const { id, plan } of await listWorkspaces(store.read)) {
    if (findPlan(plans, plan).mail_bytes === undefined) continue;
    let bytes = 0;
    for (const mailboxId of await listMailboxesOf(store.read, id)) {
      for (let after: Millis | null = Number.MIN_SAFE_INTEGER; after !== null; ) {
        const counted = await sumMailBytes(store.read, mailboxId, { after, before, limit: MAILS_AT_ONCE });
        bytes += counted.bytes;
        after = counted.last;
        await yieldToLoop();
      }
    }
    await store.write((tx) => setMailBytes(tx, id, bytes, before));
  }
};
