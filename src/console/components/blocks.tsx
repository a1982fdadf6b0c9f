/** Blocks of a page: a section under its head, a fact of a list, and a callout. */

import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
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
