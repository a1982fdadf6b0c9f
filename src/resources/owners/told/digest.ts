/** The digest of a person's workspaces: whole UTC days, as Health counts them, and what waits now. */

import { Cron } from 'croner';
import { DAY, type Millis } from '../../../kernel/clock.ts';
import type { MailboxId, OwnerId, WorkspaceId } from '../../../kernel/ids.ts';
import { formatDay, startOfDay } from '../../../kernel/utc-period.ts';
import type { DigestData, DigestWorkspace } from '../../../notices/digest-text.ts';
import { sentMails } from '../../../outbound/gate/quota-use.ts';
import { listUsedAgents } from '../../../store/accounts/agents.ts';
import type { Workspace } from '../../../store/accounts/workspaces.ts';
import { findOwnerById, listWorkspacesOf } from '../../../store/owners/owners.ts';
import {
  findToldSettings,
  listDueDigests,
  putToldSettings,
  type ToldSettings,
} from '../../../store/owners/told-settings.ts';
import { listMailDays } from '../../../store/sending/mail-days.ts';
import { listUsage } from '../../../store/sending/usage.ts';
import type { Db } from '../../../store/store.ts';
import type { Needs } from '../../needs.ts';
import type { FindNeeds } from './tell-needs.ts';

/** Read at once. */
const BATCH = 20;
/** Each costs two small queries. */
const MOST_AGENTS = 100;
/** Days that one digest covers: the counts of earlier ones stand in Health. */
const MOST_DAYS = 31;

/** Daily, or on Mondays, at the hour of the person's zone. */
export const nextDigest = (
  { digest, digestHour, digestZone }: Pick<ToldSettings, 'digest' | 'digestHour' | 'digestZone'>,
  now: Millis,
): Millis | null => {
  if (digest === 'off') return null;
  const cron = new Cron(`0 ${digestHour} * * ${digest === 'weekly' ? 1 : '*'}`, { timezone: digestZone });
  return cron.nextRun(new Date(now))?.getTime() ?? null;
};

export interface DigestNeeds extends Needs<'store' | 'clock' | 'publicUrl' | 'onError' | 'writeNotice'> {
  findNeeds: FindNeeds;
}

const countDays = async (db: Db, scope: WorkspaceId | MailboxId, days: readonly Millis[]) => {
  const until = (days.at(-1) ?? 0) + DAY;
  const counted = (await listMailDays(db, scope, days[0] ?? until)).filter(({ day }) => day < until);
  const used = await listUsage(db, scope, days.map(formatDay));
  const sum = (of: readonly number[]): number => of.reduce((total, each) => total + each, 0);
  return {
    received: sum(counted.map(({ received }) => received)),
    sent: sum([...used.values()].map(sentMails)),
    bounced: sum(counted.map(({ bounced }) => bounced)),
  };
};

const readWorkspace = async (
  db: Db,
  findNeeds: FindNeeds,
  workspace: Workspace,
  days: readonly Millis[],
): Promise<DigestWorkspace> => {
  const { needs, held } = await findNeeds(workspace);
  const waiting = new Map(held.map(({ agent, count }) => [agent, count]));
  const agents: DigestWorkspace['agents'] = [];
  for (const { handle, mailboxId } of await listUsedAgents(db, workspace.id, MOST_AGENTS)) {
    const counts = { ...(await countDays(db, mailboxId, days)), waiting: waiting.get(handle) ?? 0 };
    if (Object.values(counts).some((count) => count > 0)) agents.push({ agent: handle, ...counts });
  }
  return {
    workspace: workspace.slug,
    ...(await countDays(db, workspace.id, days)),
    waiting: held.reduce((sum, { count }) => sum + count, 0),
    needs: needs.filter(({ kind }) => kind !== 'held').map(({ title, body }) => ({ title, body })),
    agents,
  };
};

/** Null where nothing happened and nothing waits. */
const readDigest = async (
  { store, findNeeds, publicUrl }: DigestNeeds,
  ownerId: OwnerId,
  from: Millis,
  until: Millis,
): Promise<DigestData | null> => {
  const first = Math.max(from, until - MOST_DAYS * DAY);
  const days = Array.from({ length: (until - first) / DAY }, (_day, at) => first + at * DAY);
  const workspaces: DigestWorkspace[] = [];
  for (const workspace of await listWorkspacesOf(store.read, ownerId)) {
    const read = await readWorkspace(store.read, findNeeds, workspace, days);
    const { received, sent, bounced, waiting, needs } = read;
    if (received + sent + bounced + waiting + needs.length > 0) workspaces.push(read);
  }
  if (workspaces.length === 0) return null;
  return { from: formatDay(first), until: formatDay(until - DAY), workspaces, url: `${publicUrl}/console/` };
};

/** The notice and the next time are one transaction: a digest of a day is written once. */
const sendDigest = async (needs: DigestNeeds, ownerId: OwnerId): Promise<void> => {
  const { store, clock, writeNotice } = needs;
  const now = clock.now();
  const settings = await findToldSettings(store.read, ownerId);
  const { digestFrom, digestDueAt } = settings;
  if (digestDueAt === null || digestDueAt > now) return;
  const until = startOfDay(now);
  const data = until > digestFrom ? await readDigest(needs, ownerId, digestFrom, until) : null;
  await store.write(async (tx) => {
    const present = await findToldSettings(tx.db, ownerId);
    if (present.digestDueAt !== digestDueAt || present.digestFrom !== digestFrom) return;
    const owner = await findOwnerById(tx.db, ownerId);
    if (owner && data) await writeNotice(tx, { kind: 'digest', data, ownerEmail: owner.email });
    const next = { digestFrom: Math.max(until, digestFrom), digestDueAt: nextDigest(present, now) };
    await putToldSettings(tx, { ...present, ...next });
  });
};

export const sendDigests = async (needs: DigestNeeds): Promise<void> => {
  const { store, clock, onError } = needs;
  for (;;) {
    const due = await listDueDigests(store.read, clock.now(), BATCH);
    let failed = 0;
    for (const ownerId of due) {
      await sendDigest(needs, ownerId).catch((error: unknown) => {
        failed += 1;
        onError(error);
      });
    }
    // What failed is due at the next run.
    if (due.length < BATCH || failed > 0) return;
  }
};
