/**
 * A form, and where what was refused of it stands: at the field that it is about, which gets the focus (WCAG 2.2, 3.3.1);
 * else above the buttons.
 */

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../api/refusal.ts';

/** A field's name as the service has it, also for what is below it (`channels` for `channels.0.value`); or a test of it. */
export type FieldName = string | ((field: string) => boolean);

interface Shown {
  refusal: Refusal | null;
  /** Names of the fields that are there. */
  names: Set<FieldName>;
}

const isOf = (name: FieldName, field: string): boolean =>
  typeof name === 'string' ? field === name || field.startsWith(`${name}.`) : name(field);

const Context = createContext<Shown | null>(null);

/** @returns what was refused of the field; null: nothing */
export const useRefused = (name: FieldName | undefined): string | null => {
  const form = useContext(Context);
  useEffect(() => {
    if (!form || name === undefined) return;
    form.names.add(name);
    return () => {
      form.names.delete(name);
    };
  });
  const { field, words } = form?.refusal ?? { field: null, words: null };
  return name !== undefined && field !== null && isOf(name, field) ? words : null;
};

/** What is changed by no text: by a press, a key, or a press on its label. */
const CHOICE = 'input[type=checkbox], input[type=radio], label, select';

interface FormProps {
  act: { refusal: Refusal | null };
  run: () => void;
  /** While it works: what is typed then would go nowhere. The focus stays. */
  isReadOnly?: boolean;
  class?: string;
  children: ComponentChildren;
}

export const Form = ({ act: { refusal }, run, isReadOnly = false, class: of, children }: FormProps) => {
  const form = useRef<HTMLFormElement>(null);
  const names = useRef(new Set<FieldName>());
  const refuseChoice = (event: Event): void => {
    if (!isReadOnly || (event instanceof KeyboardEvent && event.key === 'Tab')) return;
    if (event.target instanceof Element && event.target.closest(CHOICE)) event.preventDefault();
  };
  useEffect(() => {
    const wrong = refusal && form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    if (!wrong) return;
    wrong.closest('details')?.setAttribute('open', '');
    wrong.focus();
  }, [refusal]);
  return (
    <Context.Provider value={{ refusal, names: names.current }}>
      <form
        class={of}
        ref={form}
        onBeforeInput={(event) => isReadOnly && event.preventDefault()}
        onClickCapture={refuseChoice}
        onMouseDownCapture={refuseChoice}
        onKeyDownCapture={refuseChoice}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        {children}
      </form>
    </Context.Provider>
  );
};

/** What was refused and stands at no field. */
export const FormFailure = () => {
  const form = useContext(Context);
  const { field, words } = form?.refusal ?? { field: null, words: null };
  if (!form || words === null) return null;
  if (field !== null && [...form.names].some((name) => isOf(name, field))) return null;
  return (
    <p class="error line bad small" role="alert">
      {words}
    </p>
  );
};
