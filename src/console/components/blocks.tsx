/**
 * Blocks of a page: sections, facts, callouts, tables and times, and the empty, loading and failed state of what is
 * loaded.
 */

import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { Loaded } from '../api/loaded.ts';
import { Button } from './controls.tsx';
import { ago, dayAndTime, shortTime, timeWithSeconds, until, wholeTime } from './format.ts';
import type { IconName } from './icons.ts';
import { Icon } from './marks.tsx';

interface SectionProps extends Omit<JSX.HTMLAttributes<HTMLElement>, 'title'> {
  /** The head; it also names the section. */
  title: ComponentChildren;
  /** A few words beside the title. */
  note?: ComponentChildren;
  /** The same, left out on a phone. */
  wideNote?: ComponentChildren;
  /** At the right edge of the head: acts, a link, a count. */
  end?: ComponentChildren;
}

export const Section = ({ title, note, wideNote, end, children, ...attributes }: SectionProps) => {
  const id = useId();
  return (
    <section {...attributes} aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {note && <p>{note}</p>}
        {wideNote && <p class="wide-only">{wideNote}</p>}
        {end && <div class="end dim">{end}</div>}
      </div>
      {children}
    </section>
  );
};

interface FactProps {
  name: string;
  /** Of the value. */
  class?: string;
  children: ComponentChildren;
}

/** A name and its value, in a `dl`. */
export const Fact = ({ name, class: of, children }: FactProps) => (
  <>
    <dt>{name}</dt>
    <dd class={of}>{children}</dd>
  </>
);

const ICONS = { good: 'check', warn: 'alert', bad: 'fail' } as const;

interface CalloutProps {
  tone?: keyof typeof ICONS | undefined;
  /** Where it differs from the tone's. */
  icon?: IconName;
  role?: 'status';
  /** Behind the text. */
  end?: ComponentChildren;
  children: ComponentChildren;
}

/** One thing to know before the rest. */
export const Callout = ({ tone, icon = ICONS[tone ?? 'warn'], role, end, children }: CalloutProps) => (
  <div class={tone ? `callout ${tone}` : 'callout'} role={role}>
    <Icon name={icon} />
    <div>{children}</div>
    {end}
  </div>
);

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  act?: ComponentChildren;
  /** In the frame of a table. */
  isFramed?: boolean;
}

export const Empty = ({ icon, title, children, act, isFramed = false }: EmptyProps) => {
  const empty = (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {act}
    </div>
  );
  return isFramed ? <div class="tw">{empty}</div> : empty;
};

/** @param what as in "The deliveries did not load" */
export const DidNotLoad = ({ what, failure, again }: { what: string; failure: Failure; again: () => void }) => (
  <div class="empty" role="alert">
    <Icon name="fail" />
    <h2>{what} did not load</h2>
    <p>
      {failure.hint} {failure.status > 0 && <span class="mono">{`${failure.status} ${failure.code}`}</span>}
    </p>
    <Button words="Try again" icon="refresh" onClick={again} />
  </div>
);

const LINES = ['w3', 'w2', 'w3', 'w1'];

/** In place of a block of text or a list. */
export const SkeletonLines = ({ lines }: { lines: number }) => (
  <div class="skeleton-lines" aria-hidden="true">
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} class={LINES[line % LINES.length]} />
    ))}
  </div>
);

/** A placeholder in the shape of the content: rows in the frame of a table, or four charts. */
const Bones = ({ shape, lines }: { shape: 'table' | 'charts'; lines: number }) => (
  <div class={shape === 'table' ? 'tw bones' : 'charts bones'} aria-hidden="true">
    {Array.from({ length: shape === 'table' ? lines : 4 }, (_, line) => (
      <div key={line} class={shape === 'table' ? 'bone-row' : 'chart'}>
        <span class={LINES[line % LINES.length]} />
      </div>
    ))}
  </div>
);

interface ShowProps<T> {
  loaded: Loaded<T>;
  what: string;
  /** The number of placeholder lines while it loads. */
  lines?: number;
  shape?: 'lines' | 'table' | 'charts';
  children: (value: T) => ComponentChildren;
}

/** The value, or its placeholder. */
export const Show = <T,>({ loaded, what, lines = 4, shape = 'lines', children }: ShowProps<T>) => {
  if (loaded.value !== null) return <>{children(loaded.value)}</>;
  if (loaded.failure) return <DidNotLoad what={what} failure={loaded.failure} again={() => void loaded.reload()} />;
  return (
    <div aria-busy="true">
      <span class="sr">Loading</span>
      {loaded.isSlow && (shape === 'lines' ? <SkeletonLines lines={lines} /> : <Bones shape={shape} lines={lines} />)}
    </div>
  );
};

interface HeadsProps {
  /** A name that begins with `#` is of a column of numbers; an empty one is of the acts. */
  of: readonly string[];
}

export const Heads = ({ of }: HeadsProps) => (
  <thead>
    <tr>
      {of.map((name) => (
        <th key={name} scope="col" class={name === '' || name.startsWith('#') ? 'num' : undefined}>
          {name === '' ? <span class="sr">Acts</span> : name.replace(/^#/, '')}
        </th>
      ))}
    </tr>
  </thead>
);

interface TableProps<T> {
  /** As of `Heads`. */
  heads: readonly string[];
  of: readonly T[];
  /** Above the heads, within the frame. */
  before?: ComponentChildren;
  /** Rows behind these. */
  after?: ComponentChildren;
  /** In place of no rows. */
  empty?: ComponentChildren;
  isDense?: boolean;
  class?: string;
  /** A row, with its key. */
  children: (row: T) => ComponentChildren;
}

/** Its rows in a frame; on a phone each row is a card. */
export const Table = <T,>({ heads, of, before, after, empty, isDense, class: more, children }: TableProps<T>) => (
  <div class="tw">
    {empty && of.length === 0 ? (
      empty
    ) : (
      <>
        {before}
        <table class={['cards', isDense && 'dense', more].filter(Boolean).join(' ')}>
          <Heads of={heads} />
          <tbody>
            {of.map(children)}
            {after}
          </tbody>
        </table>
      </>
    )}
  </div>
);

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
