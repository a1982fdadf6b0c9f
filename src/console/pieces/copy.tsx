/** A value to take elsewhere. */

import { Button } from './controls.tsx';
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

/** A new key or secret: not shown again. */
export const ShownOnce = ({ value, of }: CopyProps) => (
  <div class="once">
    <output class="val">{value}</output>
    <CopyButton value={value} of={of} words="Copy" />
    <p class="dim small">Not shown again.</p>
  </div>
);
