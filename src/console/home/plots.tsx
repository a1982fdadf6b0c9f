/** Plots of 10 a day by 60, in SVG attributes alone. */

import { percent } from '../components/format.ts';

const HEIGHT = 60;
const STEP = 10;
const BAR = 8;

interface BarsProps {
  label: string;
  values: readonly number[];
  /** What each is a part of. */
  behind?: readonly number[];
}

/** The last day is paler: it is not over. */
export const Bars = ({ label, values, behind }: BarsProps) => {
  const most = Math.max(1, ...values, ...(behind ?? []));
  const width = values.length * STEP;
  const bars = (of: readonly number[], name: string) =>
    of.map((value, at) => {
      const height = (value / most) * (HEIGHT - 8);
      return (
        <rect
          key={at}
          class={at === of.length - 1 ? `${name} now` : name}
          x={at * STEP + 1}
          y={(HEIGHT - height).toFixed(1)}
          width={BAR}
          height={height.toFixed(1)}
        />
      );
    });
  return (
    <div class="plot">
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line class="base" x1="0" y1={HEIGHT} x2={width} y2={HEIGHT} />
        {behind && bars(behind, 'b0')}
        {bars(values, 'b')}
      </svg>
    </div>
  );
};

interface RateLineProps {
  name: string;
  values: readonly number[];
  rate: number;
  throttle: number;
  pause: number;
  /** The value at the top; a larger one is cut there, and its figure shows it. */
  scale: number;
  digits: number;
}

export const RateLine = ({ name, values, rate, throttle, pause, scale, digits }: RateLineProps) => {
  const y = (value: number): string => (HEIGHT - Math.min(value / scale, 1) * HEIGHT).toFixed(1);
  const path = values.map((value, at) => `${at === 0 ? 'M' : 'L'}${at * STEP + 5} ${y(value)}`).join('');
  const now = y(values.at(-1) ?? 0);
  const width = values.length * STEP;
  const isComplaints = digits > 0;
  const label = `${name} over 7 days, now ${percent(rate, 2)}; throttle line ${percent(throttle)}, pause line ${percent(pause)}`;
  return (
    <div class="plot">
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line class="pau" x1="0" y1={y(pause)} x2={width} y2={y(pause)} />
        <line class="thr" x1="0" y1={y(throttle)} x2={width} y2={y(throttle)} />
        <line class="base" x1="0" y1={HEIGHT} x2={width} y2={HEIGHT} />
        <path class="l" d={path} />
        <path class={rate >= pause ? 'dot bad' : 'dot'} d={`M${width - STEP / 2} ${now}h.01`} />
      </svg>
      <em class={isComplaints ? 'at-03' : 'at-10'}>pause {percent(pause, digits)}</em>
      <em class={isComplaints ? 'at-01' : 'at-5'}>throttle {percent(throttle, digits)}</em>
    </div>
  );
};
