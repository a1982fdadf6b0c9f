/**
 * The bar at the foot of the reader: the note, edit, reject, approve. `a` arms the button and Enter sends; a rejection goes to
 * the note first, and is pressed once more without one.
 */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { useDraft } from '../components/drafts.ts';
import { useKeys } from '../components/keys.ts';
import { sayDone } from '../components/toast.tsx';
import { sayApproved } from './undo-approval.ts';
import { failureWords, type HeldDetail, isStopped } from './why-held.ts';

interface DecideProps {
  held: HeldDetail;
  onDecided: (id: string, said: string, failure: string | null) => Promise<void>;
  /** An approval was taken back. */
  onUndone: (id: string) => Promise<void>;
  onEdit: () => void;
}

const SETTLED_MS = 600;

/** Whether the mail has been shown for a moment: the first half of a double click may have been for another page. */
const useSettled = (): boolean => {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const begin = (): void => {
      clearTimeout(timer);
      setSettled(false);
      timer = setTimeout(() => setSettled(true), SETTLED_MS);
    };
    begin();
    addEventListener('focus', begin);
    return () => {
      clearTimeout(timer);
      removeEventListener('focus', begin);
    };
  }, []);
  return isSettled;
};

/** A placeholder while the mail loads, so that nothing moves. */
export const DecideLater = () => (
  <div class="decide" aria-hidden="true">
    <span class="note">
      <input class="input" disabled />
    </span>
    <span class="verdict">
      <Button hint="i" disabled>
        Edit
      </Button>
      <Button kind="danger" hint="r" longest="Reject anyway" disabled>
        Reject
      </Button>
      <Button kind="primary" hint="a" disabled>
        Approve and send
      </Button>
    </span>
  </div>
);

export const Decide = ({ held, onDecided, onUndone, onEdit }: DecideProps) => {
  const act = useAct();
  const noteId = useId();
  const form = useRef<HTMLFormElement>(null);
  const isSettled = useSettled();
  const [note, setNote] = useDraft(held.pending_id);
  const [doing, setDoing] = useState<'approve' | 'reject'>('approve');
  const [isArmed, setArmed] = useState(false);
  /** Whether the note was offered, and left empty. */
  const [isOffered, setOffered] = useState(false);

  /** An endpoint has no text. */
  const isEditable = held.digest !== null;
  const hasNote = note.trim() !== '';
  const focusOn = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus();
  useKeys([
    {
      ...{ key: 'a', does: 'approve: arms the button, Enter sends' },
      run: () => {
        if (isStopped()) return;
        setArmed(true);
        focusOn('.primary');
      },
    },
    { key: 'r', does: 'reject: goes to the note, then Reject', run: () => offerNote() },
    ...(isEditable ? [{ key: 'i', does: 'edit it before it goes', run: onEdit }] : []),
    {
      ...{ key: 'Escape', inFields: true },
      run: () => {
        setArmed(false);
        setOffered(false);
        const focused = document.activeElement;
        if (focused instanceof HTMLElement && form.current?.contains(focused)) focused.blur();
      },
    },
  ]);

  const offerNote = (): void => {
    setOffered(true);
    focusOn('.input');
  };

  const decide = (what: 'approve' | 'reject'): void => {
    if (act.isBusy) return;
    setDoing(what);
    setArmed(false);
    const { pending_id, digest } = held;
    const input = { pending_id, note: hasNote ? note.trim() : null };
    void act.run(async () => {
      const done =
        what === 'approve'
          ? await api.heldMail.approve({ ...input, ...(digest !== null && { digest }) })
          : await api.heldMail.reject(input);
      const failure = done.failure_reason;
      const isRefused = failure !== null;
      const isLater = done.release_at !== null;
      const approved = isRefused
        ? 'Approved, and refused on its way out'
        : isLater
          ? 'Approved, and about to go'
          : 'Sent';
      const said = what === 'reject' ? 'Rejected' : approved;
      setNote('');
      if (what === 'reject') sayDone(said);
      else if (!isRefused) sayApproved([done], onUndone);
      await onDecided(
        pending_id,
        said,
        failure && `“${held.subject}” was approved and not sent: ${failureWords(failure)}. It is gone from here.`,
      );
    });
  };

  return (
    <form
      class="decide"
      ref={form}
      onSubmit={(event) => {
        // Enter in the note does nothing.
        event.preventDefault();
      }}
    >
      <ActFailure text={act.failure} />
      <span class="note">
        <label for={noteId}>
          Note to <bdi>{held.agent ?? 'the agent'}</bdi>
        </label>
        <input
          class="input"
          id={noteId}
          placeholder="Goes with the decision"
          maxLength={2_000}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </span>
      <span class="verdict">
        {isEditable && (
          <Button hint="i" isIdle={act.isBusy} onClick={onEdit}>
            Edit
          </Button>
        )}
        <Button
          kind="danger"
          hint="r"
          longest="Reject anyway"
          busy={act.isBusy && doing === 'reject' && 'Rejecting…'}
          isIdle={act.isBusy}
          onClick={() => (hasNote || isOffered ? decide('reject') : offerNote())}
        >
          {isOffered && !hasNote ? 'Reject anyway' : 'Reject'}
        </Button>
        <span onFocusOut={() => setArmed(false)} class="contents">
          <Button
            kind="primary"
            hint={isArmed ? '↵' : 'a'}
            longest="Approve and send"
            disabled={isStopped()}
            isTooSoon={!isSettled}
            isIdle={act.isBusy}
            busy={act.isBusy && doing === 'approve' && 'Sending…'}
            onClick={() => decide('approve')}
          >
            {isArmed ? 'Enter sends it' : 'Approve and send'}
          </Button>
        </span>
      </span>
    </form>
  );
};
