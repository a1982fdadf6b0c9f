/** Quota used, as text; the bar repeats it and is hidden from screen readers. */

import type { Answer } from '../api/client.ts';
import { Section } from '../components/blocks.tsx';
import { count, money, shortDay } from '../components/format.ts';

export type Plan = Answer<'plan', 'get'>;

const Meter = ({ name, used, shown = count(used), of, words }: MeterProps) => (
  <li>
    <span>{name}</span>
    <span>
      <b class="strong">{shown}</b> <span class="dim">{words}</span>
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

interface MeterProps {
  name: string;
  used: number;
  /** Left out: the number. */
  shown?: string;
  of: number | null;
  words: string;
}

export const Meters = ({ of }: { of: readonly MeterProps[] }) => (
  <ul class="meters panel">
    {of.map((meter) => (
      <Meter key={meter.name} {...meter} />
    ))}
  </ul>
);

/** Mailboxes, as the plan counts them. */
export const mailboxWords = ({ parts }: Plan): { used: number; included: number | null; words: string } | null => {
  const part = parts.find((each) => each.part === 'mailboxes');
  if (!part) return null;
  const { used, included } = part;
  return { used, included, words: included === null ? 'no limit' : `of ${count(included)}` };
};

interface QuotaProps {
  plan: Plan;
  hasMailboxes?: boolean;
}

export const Quota = ({ plan: { plan, usage, ...rest }, hasMailboxes = false }: QuotaProps) => {
  const mailboxes = hasMailboxes ? mailboxWords({ plan, usage, ...rest }) : null;
  return (
    <Section
      title="Quota"
      end={`${plan.replace(/^./, (letter) => letter.toUpperCase())}; resets on ${shortDay(nextMonth())} UTC`}
    >
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
            shown={money(usage.spent_usd)}
            of={usage.spend_cap_usd}
            words={`of ${money(usage.spend_cap_usd)} USD cap`}
          />
        )}
        {mailboxes && <Meter name="Mailboxes" used={mailboxes.used} of={mailboxes.included} words={mailboxes.words} />}
      </ul>
    </Section>
  );
};
