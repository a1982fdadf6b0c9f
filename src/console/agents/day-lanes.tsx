/** A day on one line of hours: mail in above it, out below it; secrets, holds and wakes beneath. In SVG attributes alone. */

import type { Answer } from '../api/client.ts';
import { count, now } from '../components/format.ts';
import { Mark, type MarkName } from '../components/marks.tsx';

type Day = Answer<'agentDay', 'get'>;

const HEIGHT = 148;
const WIDTH = 960;
const MIDDLE = HEIGHT / 2;
const ROOM = MIDDLE - 10;
const HOUR_MS = 3_600_000;

interface LanesProps {
  day: Day;
  since: number;
  until: number;
}

const busiest = ({ hours }: Day): string => {
  const most = Math.max(...hours.map((hour) => hour.in + hour.out));
  const at = hours.findIndex((hour) => hour.in + hour.out === most);
  return most === 0 ? '' : `, most in the hour from ${at}:00`;
};

const Lane = ({
  label,
  at,
  mark,
  colour,
  span,
}: {
  label: string;
  at: readonly string[];
  mark: MarkName;
  colour: string;
  span: LanesProps;
}) => (
  <>
    <span class="lab">{label}</span>
    <svg class={`lane ${colour}`} role="img" aria-label={`${label}: ${at.length}`}>
      {at.map((each, n) => (
        <svg
          key={n}
          x={`${(((Date.parse(each) - span.since) / (span.until - span.since)) * 100).toFixed(2)}%`}
          y="8"
          width="10"
          height="10"
          overflow="visible"
          aria-hidden="true"
        >
          <Mark name={mark} />
        </svg>
      ))}
    </svg>
  </>
);

export const DayLanes = (span: LanesProps) => {
  const { day, since, until } = span;
  const most = Math.max(1, ...day.hours.flatMap((hour) => [hour.in, hour.out]));
  const x = (at: number): number => ((at - since) / (until - since)) * WIDTH;
  const width = x(since + HOUR_MS);
  const heightOf = (value: number): number => (value / most) * ROOM;
  const quarters = [0, 1, 2, 3, 4].map((part) => (part * WIDTH) / 4);
  const isNow = now.value > since && now.value < until;
  return (
    <div class="lanes panel">
      <div class="two">
        <span class="lab">
          <b>{count(day.in)}</b>in
        </span>
        <span class="lab">
          <b>{count(day.out)}</b>out
        </span>
      </div>
      <svg
        class="day"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`By the hour: ${day.in} in, ${day.out} out${busiest(day)}`}
      >
        {quarters.map((at) => (
          <line key={at} class="grid" x1={at} y1="0" x2={at} y2={HEIGHT} />
        ))}
        {day.hours.map((hour, n) => {
          const at = x(since + n * HOUR_MS) + width * 0.15;
          const [up, down] = [heightOf(hour.in), heightOf(hour.out)];
          return (
            <g key={n}>
              {up > 0 && <rect class="in" x={at} y={MIDDLE - 1 - up} width={width * 0.7} height={up} />}
              {down > 0 && <rect class="out" x={at} y={MIDDLE + 1} width={width * 0.7} height={down} />}
            </g>
          );
        })}
        <line class="axis" x1="0" y1={MIDDLE} x2={WIDTH} y2={MIDDLE} />
        {isNow && <line class="now" x1={x(now.value)} y1="0" x2={x(now.value)} y2={HEIGHT} />}
      </svg>
      <span class="ticks" aria-hidden="true">
        {['00', '06', '12', '18', '24'].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </span>
      <Lane label="Secrets" at={day.secrets.map(({ at }) => at)} mark="ok" colour="accent" span={span} />
      <Lane label="Holds" at={day.holds.map(({ at }) => at)} mark="warn" colour="warn" span={span} />
      <Lane label="Wakes" at={day.wakes.events.map(({ at }) => at)} mark="wait" colour="dim" span={span} />
    </div>
  );
};
