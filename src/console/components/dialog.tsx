/**
 * Native dialogs. An act that cannot be undone needs a confirmation: the question names the subject, the button
 * repeats the verb.
 */

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button, Field, useAct } from './controls.tsx';
import { Form, FormFailure } from './form.tsx';
import { useModal } from './modal.ts';
import type { Work } from './toast.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
  /** The words of a button under it that closes it. */
  close?: string;
  /**
   * The effect of Escape, Back and a click on the backdrop: close; ask first where text was typed; nothing, where a
   * value is shown once, or while it works.
   */
  leaves?: 'freely' | 'asked' | 'by-button' | 'not-yet';
}

type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isField = (target: EventTarget | null): target is FormField =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

const textIn = (field: FormField): string =>
  field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type) ? String(field.checked) : field.value;

/** Stores the values of fields at their first focus, before any typing. */
const useKept = () => {
  const kept = useRef(new Map<FormField, string>());
  return {
    keep: (target: EventTarget | null): void => {
      if (isField(target) && target.form && !kept.current.has(target)) kept.current.set(target, textIn(target));
    },
    isTyped: (): boolean => [...kept.current].some(([field, before]) => field.isConnected && textIn(field) !== before),
  };
};

/** Open as long as it is rendered. */
export const Dialog = ({ title, onClose, children, class: of, close, leaves = 'freely' }: DialogProps) => {
  const lastField = useRef<HTMLElement | null>(null);
  const [isAsked, setAsked] = useState(false);
  const { keep, isTyped } = useKept();
  const id = useId();
  const modal = useModal(
    () => {
      if (leaves === 'by-button' || leaves === 'not-yet') return;
      if (leaves === 'asked' && isTyped()) setAsked(true);
      else onClose();
    },
    () => leaves === 'by-button' || (leaves === 'asked' && isTyped()),
  );
  const goOn = (): void => {
    setAsked(false);
    // After the question has closed, because this dialog takes no focus until then.
    setTimeout(() => lastField.current?.focus());
  };
  return (
    <>
      <dialog
        {...modal}
        class={of}
        aria-labelledby={id}
        onFocusIn={({ target }) => {
          keep(target);
          if (target instanceof HTMLElement) lastField.current = target;
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        {close !== undefined && (
          <div class="acts">
            <Button words={close} onClick={onClose} />
          </div>
        )}
      </dialog>
      {isAsked && (
        <Dialog title={`Close “${title}” unsaved?`} onClose={goOn}>
          <p>What you typed in it is lost.</p>
          <div class="acts">
            <Button words="Go on writing" onClick={goOn} />
            <Button words="Close unsaved" kind="danger solid" onClick={onClose} />
          </div>
        </Dialog>
      )}
    </>
  );
};

/** `Add note` as `Adding…`. */
const toBusy = (verb: string): string => `${verb.split(' ')[0]?.replace(/e$/, '')}ing…`;

interface FormDialogProps extends Omit<DialogProps, 'close'> {
  /** The button's words, and those while it works. */
  verb: string;
  busy?: string;
  /** The words of the button that leaves all as it is. */
  no?: string;
  /** Whether the act cannot be undone. */
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Set where its run replaces its content. */
  keepOpen?: boolean;
  /** Closes after success. */
  run: Work;
}

/**
 * A dialog with one form. While it works, it can be neither closed nor edited, because its answer would meet other
 * values.
 */
export const FormDialog = ({
  verb,
  busy = toBusy(verb),
  no = 'Cancel',
  isDanger = false,
  isDisabled = false,
  keepOpen = false,
  leaves = 'asked',
  run,
  children,
  ...dialog
}: FormDialogProps) => {
  const act = useAct();
  return (
    <Dialog {...dialog} leaves={act.isBusy ? 'not-yet' : leaves}>
      <Form act={act} isReadOnly={act.isBusy} run={() => act.run(run, keepOpen ? undefined : dialog.onClose)}>
        {children}
        <FormFailure />
        <div class="acts">
          <Button words={no} onClick={dialog.onClose} isIdle={act.isBusy} />
          <Button
            words={verb}
            type="submit"
            kind={isDanger ? 'danger solid' : 'primary'}
            busy={act.isBusy && busy}
            disabled={isDisabled}
          />
        </div>
      </Form>
    </Dialog>
  );
};

export interface Question extends Pick<FormDialogProps, 'title' | 'verb' | 'busy' | 'no' | 'isDanger' | 'run'> {
  text: ComponentChildren;
  /** The text to type before a permanent removal. */
  typed?: string;
}

const open = signal<Question | null>(null);

/** Asks before an act, which `run` then does. Unless it says otherwise, the act cannot be undone. */
export const ask = (question: Question): void => {
  open.value = question;
};

const Asked = ({ text, typed, ...question }: Question) => {
  const [given, setGiven] = useState('');
  return (
    <FormDialog
      isDanger
      {...question}
      leaves="freely"
      isDisabled={typed !== undefined && given !== typed}
      onClose={() => {
        open.value = null;
      }}
    >
      {text}
      {typed !== undefined && (
        <Field label={`Type ${typed}`}>
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              autocomplete="off"
              spellcheck={false}
              value={given}
              onInput={({ currentTarget }) => setGiven(currentTarget.value)}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
};

/** The question that is open; it closes with its screen. */
export const Questions = () => {
  const [path] = useLocation();
  useEffect(
    () => () => {
      open.value = null;
    },
    [path],
  );
  return open.value && <Asked {...open.value} />;
};
