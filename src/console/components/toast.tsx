/** Reports one finished act, for 6 seconds. An error shows beside its control; here only where that is gone. */

import { signal } from '@preact/signals';
import { Link } from 'wouter-preact';
import { tellSignedOut } from '../api/client.ts';
import { toFailure } from '../api/failure.ts';
import { toRefusal } from '../api/refusal.ts';
import { useKeys } from './keys.ts';
import { Icon } from './marks.tsx';

/** What a person sets off. @returns the message after success; nothing where there is none */
export type Work = () => Promise<string | null | undefined>;

interface Said {
  text: string;
  isFailure: boolean;
  undo: Work | undefined;
  more?: More | undefined;
}

interface More {
  /** Where it is shown longer than others. */
  shownMs?: number;
  /** Where more of it stands. */
  link?: { href: string; words: string };
}

const said = signal<Said | null>(null);
let timer: ReturnType<typeof setTimeout> | null = null;
const SHOWN_MS = 6_000;
/** Longer, because no other place shows it. */
const FAILURE_SHOWN_MS = 30_000;

const say = (next: Said): void => {
  if (timer !== null) clearTimeout(timer);
  said.value = next;
  timer = setTimeout(
    () => {
      said.value = null;
    },
    next.more?.shownMs ?? (next.isFailure ? FAILURE_SHOWN_MS : SHOWN_MS),
  );
};

export const sayDone = (text: string, undo?: Work, more?: More): void => say({ text, isFailure: false, undo, more });
export const sayFailed = (text: string, undo?: Work): void => say({ text, isFailure: true, undo });

/** Announced to screen readers, not shown, because it is visible anyway. */
export const announcement = signal('');

/** A failed undo can be repeated only from the toast. */
const runUndo = async (undo: Work): Promise<void> => {
  said.value = null;
  try {
    const text = await undo();
    if (text) sayDone(text);
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'not_signed_in') tellSignedOut(true);
    sayFailed(`Not undone. ${toRefusal(failure).words}`, undo);
  }
};

const Toast = ({ text, isFailure, undo, more }: Said) => (
  <div class="toast">
    {isFailure && <Icon name="fail" />}
    <span>{text}</span>
    {undo && (
      <button type="button" onClick={() => void runUndo(undo)}>
        Undo
      </button>
    )}
    {more?.link && <Link href={more.link.href}>{more.link.words}</Link>}
  </div>
);

export const Toasts = () => {
  const shown = said.value;
  const undo = shown?.undo;
  useKeys([{ key: 'z', does: 'undo what was just done', run: () => undo && void runUndo(undo) }]);
  return (
    <>
      <div role="status" aria-live="polite">
        {shown && !shown.isFailure && <Toast {...shown} />}
      </div>
      {shown?.isFailure && (
        <div role="alert">
          <Toast {...shown} />
        </div>
      )}
      <div class="sr" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
};
