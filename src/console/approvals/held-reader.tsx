/** One held mail as it will be sent: the reason, the answered mail, every recipient, the header and the content. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer, useLive } from '../api/loaded.ts';
import { workspace } from '../api/session.ts';
import { Callout, Empty, Show, Time } from '../components/blocks.tsx';
import { dayAndTime, plural } from '../components/format.ts';
import { Author, MailText, splitAddress } from '../components/mail-parts.tsx';
import { Badge, Icon } from '../components/marks.tsx';
import { ReaderHeading } from '../frame/reader-head.tsx';
import { Decide, DecideLater, type OnDecided } from './decide.tsx';
import { HeldBody } from './held-body.tsx';
import { Edited, HeldEdit } from './held-edit.tsx';
import { HeldRecipients, NotReached } from './held-header.tsx';
import { concernsHeld, failedChecksOf, failureWords, type HeldDetail, whyHeld } from './why-held.ts';

const Why = ({ held }: { held: HeldDetail }) => {
  const { mark, because, rule } = whyHeld(held);
  const tone = mark === 'bad' || mark === 'warn' ? mark : undefined;
  return (
    <Callout tone={tone} icon={mark === 'wait' ? 'approve' : 'alert'}>
      <p>
        <b>
          <bdi>{because}</bdi>
        </b>{' '}
        {failedChecksOf(held)}
      </p>
      {held.secrets.map(({ name, where }) => (
        <p key={name}>
          <bdi class="strong">{name}</bdi> in {where.join(', ')}
        </p>
      ))}
      <p class="dim">
        {rule} {held.expires_at && `Not decided by ${dayAndTime(held.expires_at)}, it expires and is not sent.`}
      </p>
    </Callout>
  );
};

const Answered = ({ answers }: { answers: NonNullable<HeldDetail['answers']> }) => {
  const dmarc = answers.authentication?.dmarc;
  return (
    <details class="quote" open={dmarc !== undefined && dmarc !== 'pass'}>
      <summary>
        <Icon name="chev" />
        <span class="grow clip">
          <span class="strong">The mail it answers</span> <bdi class="dim">{answers.from}</bdi>
        </span>
        {dmarc !== undefined && (
          <span class="wide-only">
            <Badge mark={dmarc === 'pass' ? 'ok' : 'bad'}>DMARC {dmarc}</Badge>
          </span>
        )}
        <Time at={answers.created_at} class="faint" />
      </summary>
      <div class="body">
        <p class="strong">
          <bdi>{answers.subject}</bdi>
        </p>
        <MailText text={answers.text} />
      </div>
    </details>
  );
};

const Shown = ({ held }: { held: HeldDetail }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const recipients = held.to.length + held.cc.length + held.bcc.length;
  // After a decision the next message has the focus.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  if (held.release_at !== null) {
    return (
      <Empty icon="approve" title="Approved, and about to go">
        {`“${held.subject || '(no subject)'}” goes at ${dayAndTime(held.release_at)}.`}
      </Empty>
    );
  }
  if (held.status !== 'pending') {
    return (
      <Empty icon="approve" title={`This message is ${held.status}`}>
        {`“${held.subject || '(no subject)'}” from ${held.agent ?? 'a removed agent'} to ${[...held.to, ...held.cc, ...held.bcc].join(', ')}. `}
        {held.decided_by ? `${held.decided_by.replace(/^owner:/, '')} decided it. ` : ''}
        {held.failure_reason ? `It was not sent: ${failureWords(held.failure_reason)}. ` : ''}
        {held.decision_note ? `The note says: “${held.decision_note}” ` : ''}
        {held.message_id && held.agent && (
          <Link href={`/agents/${held.agent}/messages/${held.message_id}`}>See the delivery</Link>
        )}
      </Empty>
    );
  }
  const sender = workspace.value;
  return (
    <>
      <div class="why">
        <ReaderHeading of={heading}>
          <bdi>{held.subject || '(no subject)'}</bdi>
        </ReaderHeading>
        {sender?.sending_state === 'paused' && (
          <Callout tone="bad" icon="stop">
            <p>
              <b>Sending is paused: approved now, this mail would be refused.</b> Resume sending first, on Home.
            </p>
          </Callout>
        )}
        {sender && !sender.is_verified && (
          <Callout tone="bad" icon="stop">
            <p>
              <b>Nothing may be sent yet: approved now, this mail would be refused.</b> The address of the owner is not
              verified.
            </p>
          </Callout>
        )}
        <Why held={held} />
      </div>
      {held.answers && <Answered answers={held.answers} />}
      {held.diff !== null && <Edited diff={held.diff} />}
      <section class="msg" aria-label="The message as it will look">
        <header>
          <div>
            <Author
              named={held.from ?? ''}
              {...(splitAddress(held.from ?? '').name === null && held.agent && { isOwn: held.agent })}
            />
            <HeldRecipients held={held} />
            {held.sent_by !== null && (
              <p>
                sent by {held.sent_by} for {held.agent}
              </p>
            )}
          </div>
          <div>
            <Time at={held.created_at} as="day" />
            <p>
              {held.send_class}, {plural(recipients, 'recipient')}
            </p>
          </div>
        </header>
        <NotReached held={held} />
        <HeldBody held={held} />
      </section>
    </>
  );
};

interface ReaderProps {
  id: string;
  onDecided: OnDecided;
  onUndone: (id: string) => Promise<void>;
}

export const HeldReader = ({ id, onDecided, onUndone }: ReaderProps) => {
  const loaded = useAnswer(api.heldMail.get, { pending_id: id });
  // Another may decide it.
  useLive(concernsHeld, () => void loaded.reload());
  const [isEditing, setEditing] = useState(false);
  const held = loaded.value;
  const isOpen = held?.status === 'pending' && held.release_at === null;
  return (
    <>
      <Show loaded={loaded} what="The message" lines={6}>
        {(shown) => <Shown held={shown} />}
      </Show>
      {isEditing && isOpen && <HeldEdit held={held} onClose={() => setEditing(false)} onDone={() => loaded.reload()} />}
      {isOpen && (
        <Decide
          mails={[held]}
          onEdit={held.digest === null ? undefined : () => setEditing(true)}
          onDecided={onDecided}
          onUndone={onUndone}
        />
      )}
      {held === null && !loaded.failure && <DecideLater />}
    </>
  );
};
