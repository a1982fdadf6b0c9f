/** Empty, loading and failed states: the missing content, and the remedy. */

import type { ComponentChildren } from 'preact';
import type { Failure } from '../api/failure.ts';
import type { Loaded } from '../api/loaded.ts';
import { Button } from './controls.tsx';
import type { IconName } from './icons.ts';
import { Icon } from './marks.tsx';

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
    <Button icon="refresh" onClick={again}>
      Try again
    </Button>
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
