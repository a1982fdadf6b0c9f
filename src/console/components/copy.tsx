/** A value to copy. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { sayDone, sayFailed } from './toast.tsx';

/** @returns false where the browser refuses, as it does on plain http; this is told */
export const copy = async (text: string, words = 'Copied'): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    sayDone(words);
    return true;
  } catch {
    sayFailed('Not copied: this browser refuses its clipboard here. Select the text and copy it yourself.');
    return false;
  }
};

interface CopyProps {
  value: string;
  /** Its name, for the button. */
  of: string;
  words?: string;
}

export const CopyButton = ({ value, of, words }: CopyProps) => {
  const [isRefused, setRefused] = useState(false);
  const run = async (): Promise<void> => setRefused(!(await copy(value)));
  return (
    <Button
      {...(words === undefined
        ? { kind: 'quiet' as const, label: `Copy ${of}` }
        : { words: isRefused ? 'Refused: select it' : words })}
      icon="copy"
      isSmall
      onClick={() => void run()}
    />
  );
};

/** Characters shown of a long value; copying takes all of it. */
const MOST_SHOWN = 120;
const shorten = (value: string): string =>
  value.length <= MOST_SHOWN ? value : `${value.slice(0, MOST_SHOWN - 20)}…${value.slice(-12)}`;

export const CopyValue = ({ value, of, shown = shorten(value) }: CopyProps & { shown?: string }) => (
  <span class="copy">
    <span class="val">{shown}</span>
    <CopyButton value={value} of={of} />
  </span>
);

interface ShownOnceProps {
  title: string;
  value: string;
  /** Its name, for the button. */
  of: string;
  onClose: () => void;
  /** Above the value, beneath it, and before the act that closes. */
  children?: ComponentChildren;
  beneath?: ComponentChildren;
  acts?: ComponentChildren;
}

/** A new key or secret: it closes by its button alone, since it is not shown again. */
export const ShownOnce = ({ title, value, of, onClose, children, beneath, acts }: ShownOnceProps) => (
  <Dialog title={title} onClose={onClose} leaves="by-button">
    {children}
    <div class="once">
      <output class="val">{value}</output>
      <CopyButton value={value} of={of} words="Copy" />
      <p class="dim small">Not shown again.</p>
    </div>
    {beneath}
    <div class="acts">
      {acts}
      <Button words="I have copied it" kind="primary" onClick={onClose} />
    </div>
  </Dialog>
);
