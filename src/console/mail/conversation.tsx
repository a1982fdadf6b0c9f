/**
 * The messages of a thread: all folded but the newest, the unread and the unauthenticated; a run of read ones is one
 * line.
 */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../api/client.ts';
import { overview } from '../api/overview.ts';
import { Time } from '../components/blocks.tsx';
import { plainWords, shortTime } from '../components/format.ts';
import { splitAddress } from '../components/mail-parts.tsx';
import type { AnswerKind } from '../writing/reply-bar.tsx';
import { failsAuthentication } from './sender-proof.tsx';
import { type MessageDetail, SentState, ShownMessage } from './shown-message.tsx';

export type Thread = Answer<'mail', 'thread'>;
type Message = Thread['messages'][number];

/** Rows that stay single before the newest, and the least number of further ones that form a run. */
const SINGLE = 5;
const LEAST_RUN = 3;

/** Messages open at first: unread, unauthenticated, the newest, and a linked one. */
export const opensAtFirst = ({ messages }: Thread, named: string | undefined): Message[] => {
  const last = messages.at(-1)?.id;
  return messages.filter(
    (message) => message.unread || failsAuthentication(message) || message.id === last || message.id === named,
  );
};

/** Messages, with a run's messages grouped. */
const inRuns = (messages: readonly Message[], isOpen: (id: string) => boolean): (Message | Message[])[] => {
  const parts: (Message | Message[])[] = [];
  let run: Message[] = [];
  const end = (): void => {
    if (run.length >= LEAST_RUN) parts.push(run);
    else parts.push(...run);
    run = [];
  };
  messages.forEach((message, at) => {
    const isSingle = at === 0 || at >= messages.length - 1 - SINGLE || isOpen(message.id);
    if (!isSingle) {
      run.push(message);
      return;
    }
    end();
    parts.push(message);
  });
  end();
  return parts;
};

const whoOf = ({ direction, from }: Message, agent: string): string => {
  const { name, address } = splitAddress(from);
  return direction === 'out' ? agent : (name ?? address);
};

const Run = ({ agent, of, onClick }: { agent: string; of: readonly Message[]; onClick: () => void }) => (
  <li>
    <button type="button" class="more-messages" onClick={onClick}>
      {of.length} earlier messages
      <span class="faint">
        {shortTime(of[0]?.created_at ?? '')} to {shortTime(of.at(-1)?.created_at ?? '')},{' '}
        <bdi>{[...new Set(of.map((message) => whoOf(message, agent)))].slice(0, 3).join(', ')}</bdi>
      </span>
    </button>
  </li>
);

/** What a reader does; `blur`: within a frame of mail, which tells of nothing else. */
const ACTS = ['wheel', 'touchstart', 'pointerdown', 'keydown', 'blur'];

/** Scrolls to `begin`, and again until each frame of mail has its height, or the reader does something. */
const keepAtBegin = (list: Element | null, begin: Element | null): (() => void) | undefined => {
  if (!list || !begin) return undefined;
  const ended = new AbortController();
  const { signal } = ended;
  const stop = (): void => ended.abort();
  const scroll = (): void => {
    if (signal.aborted) return;
    begin.scrollIntoView({ block: 'start' });
    if (!list.querySelector('.unmeasured, [aria-busy=true]')) stop();
  };
  const watcher = new ResizeObserver(scroll);
  watcher.observe(list);
  signal.addEventListener('abort', () => watcher.disconnect());
  list.addEventListener('load', () => requestAnimationFrame(scroll), { capture: true, signal });
  for (const act of ACTS) addEventListener(act, stop, { capture: true, passive: true, signal });
  begin.scrollIntoView({ block: 'start' });
  return stop;
};

interface ConversationProps {
  agent: string;
  thread: Thread;
  /** Messages loaded with the thread. */
  details: ReadonlyMap<string, MessageDetail>;
  /** The message that a link names. */
  messageId: string | undefined;
  mark: (message: Message, unread: boolean) => void;
  answer: (kind: AnswerKind, message: Message) => void;
}

export const Conversation = ({ agent, thread, details, messageId, mark, answer }: ConversationProps) => {
  const { messages } = thread;
  const list = useRef<HTMLOListElement>(null);
  const begin = useRef<HTMLLIElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(opensAtFirst(thread, messageId).map(({ id }) => id)),
  );
  const [isWhole, setWhole] = useState(false);
  const last = messages.at(-1)?.id;
  const [seenLast, setSeenLast] = useState(last);
  // A message that arrives while the thread is open is open, too.
  if (last !== seenLast) {
    setSeenLast(last);
    if (last !== undefined) setOpen((now) => new Set([...now, last]));
  }
  const wanted = messageId ?? last;
  useLayoutEffect(() => keepAtBegin(list.current, begin.current), []);
  const own = overview.value?.agents.find(({ handle }) => handle === agent)?.address;
  // Browsers tell of several at once: each change is made to what the last one left.
  const toggle = (id: string, isOpen: boolean): void =>
    setOpen((now) => {
      if (now.has(id) === isOpen) return now;
      return new Set(isOpen ? [...now, id] : [...now].filter((each) => each !== id));
    });
  const parts = isWhole ? messages : inRuns(messages, (id) => open.has(id));
  return (
    <ol
      ref={list}
      class="conv"
      aria-label={`${messages.length === 1 ? '1 message' : `${messages.length} messages, the oldest first`}`}
    >
      {parts.map((part) => {
        if (Array.isArray(part)) return <Run key="run" agent={agent} of={part} onClick={() => setWhole(true)} />;
        const { id } = part;
        const isOpen = open.has(id);
        return (
          <li key={id} {...(id === wanted && { ref: begin })}>
            <details open={isOpen} onToggle={({ currentTarget }) => toggle(id, currentTarget.open)}>
              <summary>
                <span class="who clip">
                  <bdi>{whoOf(part, agent)}</bdi>
                  {part.sent_by !== null && <span class="faint"> by {part.sent_by.replace(/@.*/, '')}</span>}
                </span>
                {!isOpen && (
                  <span class="snip clip">
                    <bdi>{plainWords(part.snippet)}</bdi>
                  </span>
                )}
                <span class="end">
                  {part.unread && <b class="accent small">unread</b>}
                  {!isOpen && <SentState {...part} />}
                  <Time at={part.created_at} as={isOpen ? 'day' : 'short'} />
                </span>
              </summary>
              {isOpen && (
                <ShownMessage
                  agent={agent}
                  address={own}
                  message={part}
                  first={details.get(id)}
                  mark={(unread) => mark(part, unread)}
                  answer={(kind) => answer(kind, part)}
                />
              )}
            </details>
          </li>
        );
      })}
    </ol>
  );
};
