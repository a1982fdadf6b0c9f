/** Icons, and marks that show a state by their shape. */

import type { ComponentChildren } from 'preact';
import { ICONS, type IconName } from './icons.ts';

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

/** Disc well, ring waits, triangle look at it, square stopped, dash off. */
export type MarkName = 'ok' | 'wait' | 'warn' | 'bad' | 'off';

export const Mark = ({ name }: { name: MarkName }) => (
  <svg class="m" viewBox="0 0 10 10" aria-hidden="true">
    {name === 'ok' && <circle cx="5" cy="5" r="4" stroke="none" />}
    {name === 'wait' && <circle cx="5" cy="5" r="3.25" fill="none" />}
    {name === 'warn' && <path d="M5 1 9.5 9H.5z" stroke="none" />}
    {name === 'bad' && <path d="M1 1h8v8H1z" stroke="none" />}
    {name === 'off' && <path d="M1.5 5h7" fill="none" />}
  </svg>
);

const COLOUR: Readonly<Record<MarkName, string>> = { ok: 'good', wait: '', warn: 'warn', bad: 'bad', off: '' };

export const Badge = ({ mark, children }: { mark: MarkName; children: ComponentChildren }) => (
  <span class={`badge ${COLOUR[mark]}`}>
    <Mark name={mark} />
    {children}
  </span>
);

/** The mark of a line in a track, in its colour. */
export const TrackMark = ({ name }: { name: MarkName }) => (
  <span class={`mk ${COLOUR[name]}`}>
    <Mark name={name} />
  </span>
);

/** For screen readers only. */
export const Aloud = ({ children }: { children: ComponentChildren }) => <span class="sr">{children}</span>;
