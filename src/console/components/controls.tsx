/** Buttons, fields and switches. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { tellSignedOut } from '../api/client.ts';
import { toFailure } from '../api/failure.ts';
import { type Refusal, toRefusal } from '../api/refusal.ts';
import { type FieldName, useRefused } from './form.tsx';
import type { IconName } from './icons.ts';
import { Icon } from './marks.tsx';
import { sayDone, sayFailed, type Work } from './toast.tsx';

interface ButtonProps {
  /** Left out: it has an icon alone, and a label. */
  words?: ComponentChildren;
  kind?: 'plain' | 'primary' | 'quiet' | 'danger' | 'danger solid';
  icon?: IconName;
  isSmall?: boolean;
  /** The name of a button with an icon alone. */
  label?: string;
  /** The key that presses it. */
  hint?: string;
  disabled?: boolean;
  /** Whether a click has no effect yet: it may have been for the former content. */
  isTooSoon?: boolean;
  /** Whether a click has no effect for now; unlike a disabled button it keeps the focus. */
  isIdle?: boolean;
  /** Replaces its text while it works. */
  busy?: string | false;
  /** Its longest text: it has that width from the start, so that nothing beside it moves. */
  longest?: string;
  type?: 'button' | 'submit';
  onClick?: (event: MouseEvent) => void;
  class?: string;
  pressed?: boolean;
}

export const Button = ({
  words,
  kind = 'plain',
  icon,
  isSmall,
  label,
  hint,
  disabled = false,
  busy = false,
  longest,
  isTooSoon = false,
  isIdle = false,
  type = 'button',
  class: of = '',
  pressed,
  onClick,
}: ButtonProps) => {
  const isIcon = words === undefined;
  return (
    <button
      type={type}
      class={`btn ${kind === 'plain' ? '' : kind} ${isSmall ? 'small' : ''} ${isIcon ? 'icon' : ''} ${of}`}
      aria-label={label}
      aria-busy={busy !== false}
      aria-disabled={busy !== false || isTooSoon || isIdle || undefined}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={(event) => {
        const isPointer = event.detail > 0;
        if (busy === false && !isIdle && !(isTooSoon && isPointer)) onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {longest !== undefined ? (
        <span class="sized" data-longest={longest}>
          {busy === false ? words : busy}
        </span>
      ) : busy === false ? (
        words
      ) : (
        <span>{busy}</span>
      )}
      {hint && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  );
};

interface AddButtonProps {
  words: string;
  isSmall?: boolean;
  onClick: () => void;
}

/** The button that a list begins a new row with: the screen's first act, or small in the head of a section. */
export const AddButton = ({ words, isSmall = false, onClick }: AddButtonProps) => (
  <Button words={words} kind={isSmall ? 'plain' : 'primary'} isSmall={isSmall} icon="plus" onClick={onClick} />
);

interface ButtonLinkProps {
  href: string;
  words: string;
  icon?: IconName;
  class?: string;
}

/** A link in the form of a button. */
export const ButtonLink = ({ href, words, icon, class: of = '' }: ButtonLinkProps) => (
  <Link class={`btn ${of}`} href={href}>
    {icon && <Icon name={icon} />}
    {words}
  </Link>
);

/** @returns tells whether the caller is still shown, also after it is gone */
export const useIsThere = (): (() => boolean) => {
  const isThere = useRef(true);
  useEffect(
    () => () => {
      isThere.current = false;
    },
    [],
  );
  return () => isThere.current;
};

/** Runs an act once at a time; reports success, or the failure, in a toast where its place is gone. */
export const useAct = () => {
  const isThere = useIsThere();
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const attempt = async (work: Work): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setRefusal(null);
    try {
      const done = await work();
      if (done) sayDone(done);
      return true;
    } catch (error) {
      const reason = toFailure(error);
      if (reason.code === 'not_signed_in') tellSignedOut(true);
      const refused = toRefusal(reason);
      if (isThere()) setRefusal(refused);
      else sayFailed(refused.words);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const run = (work: Work, onDone?: () => void): void => void attempt(work).then((isDone) => isDone && onDone?.());
  return { isBusy, refusal, failure: refusal?.words ?? null, run };
};

/** An act's failure, beside its button; null: none. */
export const ActFailure = ({ text }: { text: string | null }) =>
  text && (
    <p class="error line bad small" role="alert">
      {text}
    </p>
  );

/** Connects a control with its field's label and hint. */
interface ControlAttributes {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** The service's name for it: a refusal of it replaces the hint. */
  name?: FieldName;
  children: (attributes: ControlAttributes) => ComponentChildren;
}

/** Label above, hint below; an error takes the hint's place. */
export const Field = ({ label, hint, name, children }: FieldProps) => {
  const id = useId();
  const error = useRefused(name);
  const described = error || hint ? { 'aria-describedby': `${id}-h` } : {};
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...described, ...(error && { 'aria-invalid': true }) })}
      {error ? (
        <span class="error" id={`${id}-h`} role="alert">
          {error}
        </span>
      ) : (
        hint && (
          <span class="hint" id={`${id}-h`}>
            {hint}
          </span>
        )
      )}
    </div>
  );
};

interface ToggleProps extends JSX.AriaAttributes {
  id?: string;
  checked: boolean;
  /** Whether a click has no effect for now; it keeps the focus. */
  isIdle?: boolean;
  onChange: (checked: boolean) => void;
}

/** A switch alone: it acts at once, and a toast reports the result. */
export const Toggle = ({ checked, isIdle = false, onChange, ...attributes }: ToggleProps) => (
  <input
    {...attributes}
    type="checkbox"
    role="switch"
    class="switch"
    checked={checked}
    aria-checked={checked}
    aria-disabled={isIdle || undefined}
    onChange={({ currentTarget }) => {
      const wanted = currentTarget.checked;
      // Shows the present state, so only the act's answer moves it.
      currentTarget.checked = checked;
      if (!isIdle) onChange(wanted);
    }}
  />
);

interface SwitchProps extends Pick<ToggleProps, 'checked' | 'isIdle' | 'onChange'> {
  label: string;
  hint?: ComponentChildren;
}

export const Switch = ({ label, hint, ...toggle }: SwitchProps) => {
  const id = useId();
  return (
    <div class="switch-row">
      <Toggle {...toggle} id={id} aria-describedby={hint ? `${id}-h` : undefined} />
      <div>
        <label for={id}>{label}</label>
        {hint && (
          <p class="dim small" id={`${id}-h`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
};

interface SelectProps {
  /** The field's attributes; left out, it has only its own label. */
  attributes?: ControlAttributes;
  label?: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  onChange: (value: string) => void;
}

/** Alone, for the tools over a table, or as a field's control. */
export const Select = ({ attributes, label, value, options, onChange }: SelectProps) => (
  <span class="select">
    <select
      {...attributes}
      class="input"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }: JSX.TargetedEvent<HTMLSelectElement>) => onChange(currentTarget.value)}
    >
      {options.map(([key, words]) => (
        <option key={key} value={key}>
          {words}
        </option>
      ))}
    </select>
    <Icon name="down" />
  </span>
);
