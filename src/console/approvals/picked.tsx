/** Several held messages that are decided together; each is shown whole. */

import { useId, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { workspace } from '../api/session.ts';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { plural } from '../components/format.ts';
import { useKeys } from '../components/keys.ts';
import { MailText } from '../components/mail-parts.tsx';
import { Show } from '../components/states.tsx';
import { sayDone } from '../components/toast.tsx';
import { ReaderHeading } from '../frame/reader-head.tsx';
import { Edited } from './held-edit.tsx';
import { HeldRecipients } from './held-header.tsx';
import { linkTo } from './held-list.tsx';
import { type Approved, sayApproved } from './undo-approval.ts';
import { failedChecksOf, type Held, type HeldDetail, isStopped } from './why-held.ts';

interface PickedProps {
  picked: readonly Held[];
  onClear: () => void;
  /** @param failures why some did not go */
  onDecided: (ids: readonly string[], said: string, failures: readonly string[]) => Promise<void>;
  onUndone: (id: string) => Promise<void>;
}

/** Shown whole, as where it is decided alone: no mail is approved unseen. */
const Row = ({ held }: { held: HeldDetail }) => (
  <li>
    <Link class="strong" href={linkTo(held.pending_id)}>
      <bdi>{held.subject || '(no subject)'}</bdi>
    </Link>
    <HeldRecipients held={held} />
    {held.diff !== null && <Edited diff={held.diff} />}
    {held.attachments.length > 0 && (
      <p class="dim">
        Files: <bdi>{held.attachments.map(({ filename }) => filename).join(', ')}</bdi>
      </p>
    )}
    {failsAuthentication(held) ? (
      <p class="bad">It is doubtful, and decided on its own: open it.</p>
    ) : (
      <MailText text={held.text ?? ''} />
    )}
  </li>
);

const failsAuthentication = (held: HeldDetail): boolean =>
  held.status !== 'pending' || held.digest === null || held.html_text !== null || failedChecksOf(held) !== null;

const Bar = ({
  whole,
  onClear,
  onDecided,
  onUndone,
}: Omit<PickedProps, 'picked'> & { whole: readonly HeldDetail[] }) => {
  const act = useAct();
  const noteId = useId();
  const [note, setNote] = useState('');
  /** Whether the note was offered: a rejection cannot be taken back. */
  const [isOffered, setOffered] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const given = { note: note.trim() === '' ? null : note.trim() };
  const focusOn = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus();
  const offerNote = (): void => {
    setOffered(true);
    focusOn('.input');
  };
  useKeys([
    { key: 'a', does: 'approve those picked: goes to the button, Enter sends', run: () => focusOn('.primary') },
    { key: 'r', does: 'reject those picked: goes to the note, then Reject', run: offerNote },
  ]);
  const decide = (what: 'approve' | 'reject') =>
    void act.run(async () => {
      const done: Approved[] = [];
      // One after the other, so that a failure leaves the rest undecided.
      try {
        for (const { pending_id, digest } of whole) {
          if (what === 'reject') done.push(await api.heldMail.reject({ pending_id, ...given }));
          else done.push(await api.heldMail.approve({ pending_id, ...given, ...(digest !== null && { digest }) }));
        }
      } finally {
        const refused = done.filter(({ failure_reason }) => failure_reason !== null);
        const went = done.filter(({ failure_reason }) => failure_reason === null);
        const said = `${plural(went.length, 'message')} ${what === 'reject' ? 'rejected' : 'approved'}`;
        if (what === 'reject') sayDone(said);
        else sayApproved(went, onUndone);
        const ids = done.map(({ pending_id }) => pending_id);
        await onDecided(
          ids,
          said,
          refused.map(({ subject, failure_reason }) => `“${subject}”: ${failure_reason}`),
        );
      }
    });
  return (
    <form class="decide" ref={form} onSubmit={(event) => event.preventDefault()}>
      <ActFailure text={act.failure} />
      <span class="note">
        <label for={noteId}>Note</label>
        <input
          class="input"
          id={noteId}
          placeholder="Their agents read it with the decision"
          maxLength={2_000}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </span>
      <span class="verdict">
        <Button kind="quiet" isIdle={act.isBusy} onClick={onClear}>
          Clear
        </Button>
        <Button
          kind="danger"
          longest={`Reject ${whole.length} without a note`}
          isIdle={act.isBusy}
          disabled={whole.length === 0}
          onClick={() => {
            if (isOffered || note.trim() !== '') return decide('reject');
            offerNote();
          }}
        >
          {isOffered && note.trim() === '' ? `Reject ${whole.length} without a note` : `Reject ${whole.length}`}
        </Button>
        <Button
          kind="primary"
          disabled={isStopped() || whole.length === 0}
          longest={`Approve and send ${whole.length}`}
          busy={act.isBusy && 'Working…'}
          onClick={() => decide('approve')}
        >
          {`Approve and send ${whole.length}`}
        </Button>
      </span>
    </form>
  );
};

export const Picked = ({ picked, ...bar }: PickedProps) => {
  const ids = picked.map(({ pending_id }) => pending_id);
  // The digest of each is of what is shown here.
  const loaded = useLoaded(
    (signal) => Promise.all(ids.map((pending_id) => api.heldMail.get({ pending_id }, { signal }))),
    `${workspace.value?.slug} ${ids.join(' ')}`,
  );
  return (
    <Show loaded={loaded} what="The picked messages" lines={6}>
      {(whole) => (
        <>
          <div class="why">
            <ReaderHeading>{plural(whole.length, 'message')} picked</ReaderHeading>
            <p class="dim">Doubtful mail is decided on its own.</p>
          </div>
          <ul class="ledger panel picked">
            {whole.map((held) => (
              <Row key={held.pending_id} held={held} />
            ))}
          </ul>
          <Bar whole={whole.filter((held) => !failsAuthentication(held))} {...bar} />
        </>
      )}
    </Show>
  );
};
