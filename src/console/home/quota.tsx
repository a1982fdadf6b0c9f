/** Used of included, as text; the bar repeats it and is hidden from readers aloud. */

import type { Answer } from '../api/client.ts';
import { count, money, shortDay } from '../pieces/format.ts';

const Meter = ({ name, used, of, words }: { name: string; used: number; of: number | null; words: string }) => (
  <li>
    <span>{name}</span>
    <span>
      <b class="strong">{name === 'Spend' ? money(used) : count(used)}</b> <span class="dim">{words}</span>
    </span>
    {of !== null && of > 0 && (
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.min(100, (used / of) * 100).toFixed(1)} height="4" />
      </svg>
    )}
  </li>
);

const nextMonth = (): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
};

export const Quota = ({ workspace }: { workspace: Answer<'workspaces', 'get'> }) => {
  const { usage, plan, agents } = workspace;
  return (
    <section aria-labelledby="h-quota">
      <div class="head">
        <h2 id="h-quota">Quota</h2>
        <p class="end dim">
          {plan.replace(/^./, (letter) => letter.toUpperCase())}, until {shortDay(nextMonth())} UTC
        </p>
      </div>
      <ul class="meters panel">
        {usage.sends_per_day !== null && (
          <Meter
            name="Sends today"
            used={usage.quota_used_today}
            of={usage.sends_per_day}
            words={`of ${count(usage.sends_per_day)}`}
          />
        )}
        <Meter
          name="Sends this month"
          used={usage.sends_per_month === null ? usage.sent_this_month : usage.quota_used_this_month}
          of={usage.sends_per_month}
          words={usage.sends_per_month === null ? 'no limit' : `of ${count(usage.sends_per_month)}`}
        />
        {usage.spend_cap_usd !== null && (
          <Meter
            name="Spend"
            used={usage.spent_usd}
            of={usage.spend_cap_usd}
            words={`of ${money(usage.spend_cap_usd)} USD cap`}
          />
        )}
        <Meter name="Inboxes" used={agents.length} of={null} words={agents.length === 1 ? 'agent' : 'agents'} />
      </ul>
    </section>
  );
};
