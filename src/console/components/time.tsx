import { ago, dayAndTime, shortTime, timeWithSeconds, until, wholeTime } from './format.ts';

const FORMATS = {
  short: shortTime,
  ago,
  day: dayAndTime,
  seconds: timeWithSeconds,
  end: (at: string) => `expires in ${until(at)}`,
};

/** A time in the reader's zone; the whole of it in its title. */
export const Time = ({ at, as = 'short', class: of }: { at: string; as?: keyof typeof FORMATS; class?: string }) => (
  <time dateTime={at} title={wholeTime(at)} class={of}>
    {FORMATS[as](at)}
  </time>
);
