/** A value to take elsewhere. */

import type { ComponentChildren } from 'preact';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { sayDone } from './toast.tsx';

const copy = async (text: string): Promise<void> => {
  await navigator.clipboard.writeText(text);
  sayDone('Copied');
};

interface CopyProps {
  value: string;
  /** What it is, for its button's name. */
  of: string;
  words?: string;
}

export const CopyButton = ({ value, of, words }: CopyProps) => (
  <Button
    {...(words === undefined ? { kind: 'quiet' as const, label: `Copy ${of}` } : { children: words })}
    icon="copy"
    isSmall
    onClick={() => void copy(value)}
  />
);

/** Of a value that nobody reads to its end; what is copied is the whole. */
const MOST_SHOWN = 120;
const shorten = (value: string): string =>
  value.length <= MOST_SHOWN ? value : `${value.slice(0, MOST_SHOWN - 20)}…${value.slice(-12)}`;

export const CopyValue = ({ value, of }: CopyProps) => (
  <span class="copy">
    <span class="val">{shorten(value)}</span>
    <CopyButton value={value} of={of} />
  </span>
);

interface ShownOnceProps {
  title: string;
  value: string;
  /** What it is, for the name of its button. */
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
      <Button kind="primary" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  </Dialog>
);
