/**
 * The bar at the foot of the reader, for one mail or those picked: the note, edit, reject, approve. `a` arms the button and
 * Enter sends; a rejection goes to the note first, and is pressed once more without one.
 */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { useDraft } from '../components/drafts.ts';
import { plural } from '../components/format.ts';
import { useKeys } from '../components/keys.ts';
import { sayDone } from '../components/toast.tsx';
import { type Approved, sayApproved } from './undo-approval.ts';
import { failureWords, type HeldDetail, isStopped } from './why-held.ts';

/** @param said what was done @param outcome which mail did not go, and why; null: none */
export type OnDecided = (ids: readonly string[], said: string, outcome: string | null) => Promise<void>;

interface DecideProps {
  /** What is decided: one, or those picked. */
  mails: readonly HeldDetail[];
  onDecided: OnDecided;
  /** An approval was taken back. */
  onUndone: (id: string) => Promise<void>;
  /** Left out: it has no text. */
  onEdit?: (() => void) | undefined;
  /** Set where those picked are decided together. */
  onClear?: () => void;
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
      <Button words="Edit" hint="i" disabled />
      <Button words="Reject" kind="danger" hint="r" longest="Reject anyway" disabled />
      <Button words="Approve and send" kind="primary" hint="a" disabled />
    </span>
  </div>
);

const saidOf = (what: 'approve' | 'reject', { failure_reason, release_at }: Approved): string => {
  if (what === 'reject') return 'Rejected';
  if (failure_reason !== null) return 'Approved, and refused on its way out';
  return release_at !== null ? 'Approved, and about to go' : 'Sent';
};

export const Decide = ({ mails, onDecided, onUndone, onEdit, onClear }: DecideProps) => {
  const act = useAct();
  const noteId = useId();
  const form = useRef<HTMLFormElement>(null);
  const isSettled = useSettled();
  const [note, setNote] = useDraft(onClear ? null : (mails[0]?.pending_id ?? null));
  const [doing, setDoing] = useState<'approve' | 'reject'>('approve');
  const [isArmed, setArmed] = useState(false);
  /** Whether the note was offered, and left empty. */
  const [isOffered, setOffered] = useState(false);
  const hasNote = note.trim() !== '';
  const [those, count] = onClear ? [' those picked', ` ${mails.length}`] : ['', ''];
  const rejectAnyway = onClear ? `Reject${count} without a note` : 'Reject anyway';
  const focusOn = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus();
  const offerNote = (): void => {
    setOffered(true);
    focusOn('.input');
  };
  useKeys([
    {
      key: 'a',
      does: `approve${those}: arms the button, Enter sends`,
      run: () => {
        if (isStopped()) return;
        setArmed(true);
        focusOn('.primary');
      },
    },
    { key: 'r', does: `reject${those}: goes to the note, then Reject`, run: offerNote },
    ...(onEdit ? [{ key: 'i', does: 'edit it before it goes', run: onEdit }] : []),
    {
      key: 'Escape',
      inFields: true,
      run: () => {
        setArmed(false);
        setOffered(false);
        const focused = document.activeElement;
        if (focused instanceof HTMLElement && form.current?.contains(focused)) focused.blur();
      },
    },
  ]);

  const tell = async (what: 'approve' | 'reject', done: readonly [Approved, ...Approved[]]): Promise<void> => {
    const went = done.filter(({ failure_reason }) => failure_reason === null);
    const said = onClear
      ? `${plural(went.length, 'message')} ${what === 'reject' ? 'rejected' : 'approved'}`
      : saidOf(what, done[0]);
    const failures = done.flatMap(({ subject, failure_reason: reason }) =>
      reason === null ? [] : `“${subject}” was approved and not sent: ${failureWords(reason)}. It is gone from here.`,
    );
    setNote('');
    if (what === 'reject') sayDone(said);
    else sayApproved(went, onUndone);
    await onDecided(
      done.map(({ pending_id }) => pending_id),
      said,
      failures.join(' ') || null,
    );
  };

  const decide = (what: 'approve' | 'reject'): void => {
    if (act.isBusy) return;
    setDoing(what);
    setArmed(false);
    const given = { note: hasNote ? note.trim() : null };
    act.run(async () => {
      const done: Approved[] = [];
      // One after the other, so that a failure leaves the rest undecided.
      try {
        for (const { pending_id, digest } of mails) {
          if (what === 'reject') done.push(await api.heldMail.reject({ pending_id, ...given }));
          else done.push(await api.heldMail.approve({ pending_id, ...given, ...(digest !== null && { digest }) }));
        }
      } finally {
        const [first, ...others] = done;
        if (first) await tell(what, [first, ...others]);
      }
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
          Note{' '}
          {!onClear && (
            <>
              to <bdi>{mails[0]?.agent ?? 'the agent'}</bdi>
            </>
          )}
        </label>
        <input
          class="input"
          id={noteId}
          placeholder={onClear ? 'Their agents read it with the decision' : 'Goes with the decision'}
          maxLength={1_000}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </span>
      <span class="verdict">
        {onClear && <Button words="Clear" kind="quiet" isIdle={act.isBusy} onClick={onClear} />}
        {onEdit && <Button words="Edit" hint="i" isIdle={act.isBusy} onClick={onEdit} />}
        <Button
          words={isOffered && !hasNote ? rejectAnyway : `Reject${count}`}
          kind="danger"
          hint="r"
          longest={rejectAnyway}
          busy={act.isBusy && doing === 'reject' && 'Rejecting…'}
          isIdle={act.isBusy}
          disabled={mails.length === 0}
          onClick={() => (hasNote || isOffered ? decide('reject') : offerNote())}
        />
        <span onFocusOut={() => setArmed(false)} class="contents">
          <Button
            words={isArmed ? 'Enter sends it' : `Approve and send${count}`}
            kind="primary"
            hint={isArmed ? '↵' : 'a'}
            longest={`Approve and send${count}`}
            disabled={isStopped() || mails.length === 0}
            isTooSoon={!isSettled}
            isIdle={act.isBusy}
            busy={act.isBusy && doing === 'approve' && 'Sending…'}
            onClick={() => decide('approve')}
          />
        </span>
      </span>
    </form>
  );
};
