/** Small bars of a row: sends by day, bounces in red; a share as a bar with its figure. */

import { percent } from '../components/format.ts';

const HEIGHT = 24;
const STEP = 8;

interface SparkProps {
  days: readonly { sent: number; bounced: number }[];
  /** The maximum of all rows, so that they compare. */
  most: number;
}

export const Spark = ({ days, most }: SparkProps) => {
  const tall = (value: number): number => Math.round((Math.min(value, most) / Math.max(1, most)) * HEIGHT);
  const bar = (value: number, at: number, of?: string) => (
    <rect key={at} class={of} x={at * STEP} y={HEIGHT - tall(value)} width={STEP - 2} height={tall(value)} />
  );
  return (
    <svg class="spark" viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {days.map(({ sent }, at) => bar(sent, at))}
      {days.map(({ bounced }, at) => bar(bounced, at, 'x'))}
    </svg>
  );
};

interface ShareProps {
  share: number;
  throttle: number;
  pause: number;
}

export const Share = ({ share, throttle, pause }: ShareProps) => (
  <span class="bar-cell">
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect
        class={share >= pause ? 'x' : share >= throttle ? 'w' : undefined}
        width={(Math.min(share, 1) * 100).toFixed(1)}
        height="6"
      />
    </svg>
    <span>{percent(share)}</span>
  </span>
);
