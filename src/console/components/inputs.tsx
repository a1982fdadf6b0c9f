/** Fields of a form, the search above a list, and a choice of few. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Field, Select } from './controls.tsx';
import type { FieldName } from './form.tsx';
import { Icon } from './marks.tsx';

interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string;
  name?: FieldName;
  placeholder?: string;
  isRequired?: boolean;
  /** Lines of a field for more than one. */
  rows?: number;
  maxLength?: number;
  /** Quoted as it is: an address, a URL, JSON. */
  isMono?: boolean;
  type?: 'text' | 'email' | 'url' | 'password';
}

export const TextField = (props: TextFieldProps) => {
  const { label, value, onInput, hint, name, rows, isMono = false, type = 'text' } = props;
  return (
    <Field label={label} {...(hint !== undefined && { hint })} {...(name !== undefined && { name })}>
      {(attributes) => {
        const shared = {
          ...attributes,
          class: `input ${isMono ? 'mono' : ''}`,
          autocomplete: 'off',
          spellcheck: !isMono,
          value,
          ...(isMono && { autocapitalize: 'none' as const }),
          required: props.isRequired,
          placeholder: props.placeholder,
          maxLength: props.maxLength,
        };
        return rows === undefined ? (
          <input {...shared} type={type} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
        ) : (
          <textarea {...shared} dir="auto" rows={rows} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
        );
      }}
    </Field>
  );
};

/** The texts of a form by the service's names, and what the field of each takes. */
export const useTexts = <Texts extends Readonly<Record<string, string>>>(first: Texts) => {
  const [texts, setTexts] = useState(first);
  const field = (name: keyof Texts & string) => ({
    name,
    value: texts[name] ?? '',
    onInput: (text: string) => setTexts((before) => ({ ...before, [name]: text })),
  });
  return [texts, field] as const;
};

interface SelectFieldProps {
  label: string;
  name?: FieldName;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  onInput: (value: string) => void;
}

export const SelectField = ({ label, name, value, options, onInput }: SelectFieldProps) => (
  <Field label={label} {...(name !== undefined && { name })}>
    {(attributes) => <Select attributes={attributes} value={value} options={options} onChange={onInput} />}
  </Field>
);

interface FindProps {
  label: string;
  placeholder: string;
  value: string;
  onInput: (value: string) => void;
  maxLength?: number;
}

export const Find = ({ label, placeholder, value, onInput, maxLength }: FindProps) => (
  <div class="find">
    <Icon name="search" />
    <input
      class="input"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      {...(maxLength !== undefined && { maxLength })}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
    <kbd aria-hidden="true">/</kbd>
  </div>
);

const TYPING_MS = 300;

/** The trimmed text after a pause in typing. */
export const useTyped = (text: string): string => {
  const [typed, setTyped] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
};

/** What a {@link Find} takes, and `q`, its text once the reader pauses. */
export const useFind = (first = '') => {
  const [text, setText] = useState(first);
  return { q: useTyped(text), setText, find: { value: text, onInput: setText } };
};

interface SegmentsProps<Value> {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, words: ComponentChildren, ...unknown[]])[];
  onChange: (value: Value) => void;
}

/** Buttons in a row, one of which is pressed. */
export const Segments = <Value extends string | number | boolean | null>(props: SegmentsProps<Value>) => (
  // biome-ignore lint/a11y/useSemanticElements: buttons that are pressed, not fields of a form
  <div class="seg" role="group" aria-label={props.label}>
    {props.options.map(([value, words]) => (
      <button
        key={String(value)}
        type="button"
        aria-pressed={value === props.value}
        onClick={() => props.onChange(value)}
      >
        {words}
      </button>
    ))}
  </div>
);

interface CheckProps {
  id: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export const Check = ({ id, label, checked, onChange }: CheckProps) => (
  <div class="check-row">
    <input
      type="checkbox"
      class="check"
      id={id}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <label for={id}>{label}</label>
  </div>
);
