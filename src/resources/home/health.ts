/** The health of sending: by receiving organisation, by agent, and for the month's quota. */

import type { z } from 'zod';
import { findPlan, type Plans } from '../../config/plans.ts';
import { DAY, type Millis } from '../../kernel/clock.ts';
import { formatDay, formatMonth, nextMonth } from '../../kernel/utc-period.ts';
import { UNITS_OF } from '../../outbound/gate/quota-checks.ts';
import { sentMails } from '../../outbound/gate/quota-use.ts';
import { listUsedAgents } from '../../store/accounts/agents.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { listHostReplies, listHosts, listMailDays } from '../../store/sending/mail-days.ts';
import { findUsage, listUsage, type Usage } from '../../store/sending/usage.ts';
import type { Db } from '../../store/store.ts';
import type { healthShape } from './contract.ts';
import { firstDay } from './sending-days.ts';

type Health = z.infer<typeof healthShape>;

const MOST_HOSTS = 12;
const MOST_REPLIES = 4;
/** Each costs two small queries. */
const MOST_AGENTS = 100;
const FORECAST_DAYS = 7;

const readHosts = async (db: Db, { id }: Workspace, since: Millis): Promise<Health['hosts']> => {
  const hosts = await listHosts(db, id, since, MOST_HOSTS);
  return Promise.all(
    hosts.map(async (host) => ({
      ...host,
      replies: (await listHostReplies(db, id, host.organisation, since, MOST_REPLIES)).map(({ reply, count, said }) => {
        const [kind, ...codes] = reply.split(' ');
        return {
          kind: kind === 'deferred' ? ('deferred' as const) : ('refused' as const),
          codes: codes.join(' '),
          count,
          said,
        };
      }),
    })),
  );
};

const daysOf = (now: Millis, shown: number): Millis[] =>
  Array.from({ length: shown }, (_day, at) => firstDay(now, shown) + at * DAY);

const readAgents = async (db: Db, { id }: Workspace, now: Millis, shown: number): Promise<Health['agents']> => {
  const days = daysOf(now, shown);
  const agents = await listUsedAgents(db, id, MOST_AGENTS);
  return Promise.all(
    agents.map(async ({ handle, mailboxId }) => {
      const used = await listUsage(db, mailboxId, days.map(formatDay));
      const counted = new Map((await listMailDays(db, mailboxId, days[0] ?? now)).map((each) => [each.day, each]));
      return {
        agent: handle,
        days: days.map((day) => ({
          sent: sentMails(used.get(formatDay(day)) ?? { units: 0, cold: 0 }),
          bounced: counted.get(day)?.bounced ?? 0,
          received: counted.get(day)?.received ?? 0,
        })),
      };
    }),
  );
};

const toSends = ({ units }: Usage): number => units / UNITS_OF.cold;

/** Extrapolates from the last 7 full days. A plan without a limit counts mails, as Home does. */
const readUsage = async (
  db: Db,
  plans: Plans,
  { id, plan }: Workspace,
  now: Millis,
  shown: number,
): Promise<Health['usage']> => {
  const days = daysOf(now, Math.max(shown, FORECAST_DAYS + 1)).map(formatDay);
  const used = await listUsage(db, id, days);
  const included = findPlan(plans, plan).sends_per_month ?? null;
  const toUse = included === null ? sentMails : toSends;
  const sends = days.map((day) => ({ day, used: toUse(used.get(day) ?? { units: 0, cold: 0 }) }));
  const pace = sends.slice(-FORECAST_DAYS - 1, -1).reduce((sum, each) => sum + each.used, 0) / FORECAST_DAYS;
  const month = toUse(await findUsage(db, id, formatMonth(now)));
  const left = (nextMonth(now) - now) / DAY;
  return {
    days: sends.slice(-shown),
    month,
    forecast: Math.round(month + pace * left),
    included,
  };
};

export const readHealth = async (
  db: Db,
  plans: Plans,
  workspace: Workspace,
  now: Millis,
  shown: number,
): Promise<Health> => ({
  hosts: await readHosts(db, workspace, firstDay(now, shown)),
  agents: await readAgents(db, workspace, now, shown),
  usage: await readUsage(db, plans, workspace, now, shown),
});
