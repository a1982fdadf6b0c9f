/** The foot of a conversation: a reply is folded, and opens in its place. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { Show } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { useKeys } from '../components/keys.ts';
import { splitAddress } from '../components/mail-parts.tsx';
import { Icon } from '../components/marks.tsx';
import { flagged } from '../mail/beside.ts';
import { Composer } from './composer.tsx';
import type { Draft } from './kept-draft.ts';

export type AnswerKind = Exclude<Draft['kind'], 'new'>;
type Message = Answer<'mail', 'thread'>['messages'][number];

/** The draft about a message; `isCalled` after a click, not for a stored draft. */
export interface Answering {
  kind: AnswerKind;
  messageId: string;
  isCalled: boolean;
}

interface OpenProps {
  agent: string;
  answering: Answering;
  /** @param messageId of the sent mail */
  onEnd: (messageId: string | null) => void;
}

const Open = ({ agent, answering: { kind, messageId, isCalled }, onEnd }: OpenProps) => {
  const begun = useAnswer(api.writing.begin, { agent, kind, message_id: messageId });
  return (
    <Show loaded={begun} what="The draft" lines={6}>
      {(draft) => <Composer draft={draft} isCalled={isCalled} onEnd={onEnd} />}
    </Show>
  );
};

/** Reports of mail hosts are no mail that a person answers. */
const isReport = ({ from, automatic }: Message): boolean =>
  automatic && /^(?:mailer-daemon|postmaster)@/i.test(splitAddress(from).address);

interface ReplyBarProps {
  agent: string;
  messages: readonly Message[];
  answering: Answering | null;
  setAnswering: (answering: Answering | null) => void;
  reload: () => void;
}

export const ReplyBar = ({ agent, messages, answering, setAnswering, reload }: ReplyBarProps) => {
  const latest = messages.findLast((message) => !isReport(message)) ?? messages.at(-1);
  const begin = (kind: AnswerKind) => (): void => {
    if (latest) setAnswering({ kind, messageId: latest.id, isCalled: true });
  };
  const [ended, setEnded] = useState(0);
  useKeys([
    { key: 'r', does: 'reply', run: begin('reply') },
    { key: 'R', does: 'reply to all', run: begin('reply_all') },
    { key: 'f', does: 'forward', run: begin('forward') },
  ]);
  if (!latest) return null;
  if (answering) {
    return (
      <Open
        key={`${answering.kind} ${answering.messageId} ${ended}`}
        agent={agent}
        answering={answering}
        onEnd={(messageId) => {
          setAnswering(null);
          setEnded(ended + 1);
          if (messageId === null) return;
          flagged.value += 1;
          reload();
        }}
      />
    );
  }
  const { name, address } = splitAddress(latest.direction === 'in' ? latest.from : (latest.to[0] ?? latest.from));
  return (
    <div class="replybar">
      <button type="button" class="as-field" onClick={begin('reply')}>
        <Icon name="reply" />
        <span class="clip">
          Reply to <bdi>{name ?? address}</bdi>
        </span>
        <kbd aria-hidden="true">r</kbd>
      </button>
      <Button words="Reply to all" class="wide-only" onClick={begin('reply_all')} />
      <Button words="Forward" class="wide-only" onClick={begin('forward')} />
    </div>
  );
};
