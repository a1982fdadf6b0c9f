/** A form, with its refusals: at the refused field, which gets the focus (WCAG 2.2, 3.3.1); else above the buttons. */

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../api/refusal.ts';

/**
 * The service's name of a field, also for names below it (`channels` for `channels.0.value`); or a test of the name.
 */
export type FieldName = string | ((field: string) => boolean);

interface Shown {
  refusal: Refusal | null;
  /** Names of the form's fields. */
  names: Set<FieldName>;
}

const isOf = (name: FieldName, field: string): boolean =>
  typeof name === 'string' ? field === name || field.startsWith(`${name}.`) : name(field);

const Context = createContext<Shown | null>(null);

/** @returns the field's refusal; null: none */
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

/** For a control without a {@link Field}: its attributes, and the refusal that stands beside it. */
export const useRefusal = (name: FieldName, id: string) => {
  const words = useRefused(name);
  if (words === null) return { attributes: {}, refusal: null };
  return {
    attributes: { 'aria-invalid': true, 'aria-describedby': `${id}-e` },
    refusal: (
      <span class="error bad small" id={`${id}-e`} role="alert">
        {words}
      </span>
    ),
  };
};

/** Controls that are changed by a click or a key, not by text. */
const CHOICE = 'input[type=checkbox], input[type=radio], label, select';

interface FormProps {
  act: { refusal: Refusal | null };
  run: () => void;
  /** Set while it works: typed text would be lost. The focus stays. */
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

/** A refusal without a field in the form. */
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
