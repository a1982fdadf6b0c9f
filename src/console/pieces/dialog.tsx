/** Native dialogs. What cannot be undone is asked: the question names the thing, the button repeats the verb. */

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ActFailure, Button, Field, useAct } from './controls.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
}

/** Open as long as it is rendered. */
export const Dialog = ({ title, onClose, children, class: of }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={of}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => {
        if (target === dialog.current) onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};

interface FormDialogProps extends DialogProps {
  act: ReturnType<typeof useAct>;
  /** The button's words, and those while it works. */
  verb: string;
  busy: string;
  isDisabled: boolean;
  /** Where its run shows something else in its place. */
  keepOpen?: boolean;
  /** Closes once it is done. @returns what is said then */
  run: () => Promise<string | null>;
}

/** A dialog with one form; where its failure stands is the form's to say. */
export const FormDialog = ({
  act,
  verb,
  busy,
  isDisabled,
  keepOpen = false,
  run,
  children,
  ...dialog
}: FormDialogProps) => (
  <Dialog {...dialog}>
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void act.run(run).then((isDone) => isDone && !keepOpen && dialog.onClose());
      }}
    >
      {children}
      <div class="acts">
        <Button onClick={dialog.onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={act.isBusy && busy} disabled={isDisabled}>
          {verb}
        </Button>
      </div>
    </form>
  </Dialog>
);

interface AskProps {
  /** The question. */
  title: string;
  children: ComponentChildren;
  /** The button's words, and those while it works. */
  verb: string;
  busy: string;
  isDanger?: boolean;
  /** To be typed, of what is gone for good. */
  typed?: string;
  onClose: () => void;
  /** @returns what is said once it is done */
  run: () => Promise<string | null>;
}

export const Ask = ({ title, children, verb, busy, isDanger, typed, onClose, run }: AskProps) => {
  const act = useAct();
  const [text, setText] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(run).then((isDone) => isDone && onClose());
        }}
      >
        <div class="said">{children}</div>
        {typed !== undefined && (
          <Field label={`Type ${typed}`}>
            {(attributes) => (
              <input
                {...attributes}
                class="input"
                autocomplete="off"
                spellcheck={false}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
            )}
          </Field>
        )}
        {act.failure && <ActFailure text={act.failure} />}
        <div class="acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={isDanger ? 'danger solid' : 'primary'}
            busy={act.isBusy && busy}
            disabled={typed !== undefined && text !== typed}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
