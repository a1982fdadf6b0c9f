/** A step of the list, and its open content. */

import type { ComponentChildren } from 'preact';
import { Mark, type MarkName } from '../components/marks.tsx';

interface StepProps {
  /** Done is a disc, the current one a ring, an optional one a dash. */
  state: 'done' | 'next' | 'later' | 'may-wait';
  title: string;
  words: ComponentChildren;
  act?: ComponentChildren;
  /** The content of the current step. */
  children?: ComponentChildren;
}

const MARKS: Readonly<Record<StepProps['state'], readonly [MarkName, string]>> = {
  done: ['ok', 'good'],
  next: ['wait', 'accent'],
  later: ['wait', 'faint'],
  'may-wait': ['off', 'faint'],
};

export const Step = ({ state, title, words, act, children }: StepProps) => {
  const [mark, colour] = MARKS[state];
  return (
    <li class={state === 'done' && !children ? 'done' : undefined} aria-current={state === 'next' ? 'step' : undefined}>
      <div class="step">
        <span class={`mk ${colour}`}>
          <Mark name={mark} />
        </span>
        <div>
          <b>{title}</b>
          {state === 'done' && <span class="sr">, done</span>}
          <p>{words}</p>
        </div>
        {act}
      </div>
      {children}
    </li>
  );
};
