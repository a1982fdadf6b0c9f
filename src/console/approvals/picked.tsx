/** Several held messages that are decided together; each is shown whole. */

import { useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { workspace } from '../api/session.ts';
import { Show } from '../components/blocks.tsx';
import { plural } from '../components/format.ts';
import { MailText } from '../components/mail-parts.tsx';
import { ReaderHeading } from '../frame/reader-head.tsx';
import { Decide, type OnDecided } from './decide.tsx';
import { Edited } from './held-edit.tsx';
import { HeldRecipients } from './held-header.tsx';
import { linkTo } from './held-list.tsx';
import { failedChecksOf, type Held, type HeldDetail } from './why-held.ts';

interface PickedProps {
  picked: readonly Held[];
  /** Null: all are picked. */
  onAll: (() => void) | null;
  onClear: () => void;
  onDecided: OnDecided;
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

export const Picked = ({ picked, onAll, ...bar }: PickedProps) => {
  const ids = picked.map(({ pending_id }) => pending_id);
  // Each is loaded once, until it is picked no more. Its digest is of what is shown here.
  const known = useRef(new Map<string, HeldDetail>());
  for (const id of known.current.keys()) if (!ids.includes(id)) known.current.delete(id);
  const get = async (pending_id: string, signal: AbortSignal): Promise<HeldDetail> => {
    const held = known.current.get(pending_id) ?? (await api.heldMail.get({ pending_id }, { signal }));
    known.current.set(pending_id, held);
    return held;
  };
  const loaded = useLoaded(
    (signal) => Promise.all(ids.map((id) => get(id, signal))),
    `${workspace.value?.slug} ${ids.join(' ')}`,
  );
  return (
    <Show loaded={loaded} what="The picked messages" lines={6}>
      {(whole) => (
        <>
          <div class="why">
            <ReaderHeading>{plural(whole.length, 'message')} picked</ReaderHeading>
            <p class="dim">
              Shift and a click pick all between. Doubtful mail is decided on its own.{' '}
              {onAll && (
                <button type="button" class="link" onClick={onAll}>
                  Pick all
                </button>
              )}
            </p>
          </div>
          <ul class="ledger panel picked">
            {whole.map((held) => (
              <Row key={held.pending_id} held={held} />
            ))}
          </ul>
          <Decide mails={whole.filter((held) => !failsAuthentication(held))} {...bar} />
        </>
      )}
    </Show>
  );
};
