/** Empty, loading and failed: what would be here, and what to do. */

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
}

export const Empty = ({ icon, title, children, act }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {act}
  </div>
);

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

interface ShowProps<T> {
  loaded: Loaded<T>;
  what: string;
  /** How many lines stand for it while it loads. */
  lines?: number;
  children: (value: T) => ComponentChildren;
}

/** The value, or what stands for it. */
export const Show = <T,>({ loaded, what, lines = 4, children }: ShowProps<T>) => {
  if (loaded.value !== null) return <>{children(loaded.value)}</>;
  if (loaded.failure) return <DidNotLoad what={what} failure={loaded.failure} again={() => void loaded.reload()} />;
  return (
    <div aria-busy="true">
      <span class="sr">Loading</span>
      {loaded.isSlow && <SkeletonLines lines={lines} />}
    </div>
  );
};
