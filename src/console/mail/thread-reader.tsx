/** One thread: its messages, the oldest first; the last one and those unread are open. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { ActFailure, Button, useAct } from '../pieces/controls.tsx';
import { useKeys } from '../pieces/keys.ts';
import { splitAddress } from '../pieces/mail-parts.tsx';
import { Show } from '../pieces/states.tsx';
import { Time } from '../pieces/time.tsx';
import { sayDone } from '../pieces/toast.tsx';
import { flagged } from './flagged.ts';
import { RawSource } from './raw-source.tsx';
import { ShownMessage } from './shown-message.tsx';

type Thread = Answer<'mail', 'thread'>;
type Message = Thread['messages'][number];

/** Beyond them a thread is read by its newer end. */
const MOST_SHOWN = 100;

interface ReaderProps {
  agent: string;
  id: string;
  /** The message that a link names. */
  messageId?: string;
}

/** A message in one line, until it is opened. */
const Folded = ({ agent, message, open }: { agent: string; message: Message; open: () => void }) => {
  const { name, address } = splitAddress(message.from);
  return (
    <button type="button" class={`msg folded ${message.unread ? 'unread' : ''}`} aria-expanded="false" onClick={open}>
      <span class="strong clip">
        <bdi>{message.direction === 'out' ? agent : (name ?? address)}</bdi>
      </span>
      <span class="clip dim">
        <bdi>{message.snippet}</bdi>
      </span>
      <Time at={message.created_at} />
    </button>
  );
};

const Messages = ({
  agent,
  thread,
  messageId,
  reload,
}: {
  agent: string;
  thread: Thread;
  messageId?: string | undefined;
  reload: () => void;
}) => {
  const last = thread.messages.at(-1)?.id;
  const [opened, setOpened] = useState<ReadonlySet<string>>(
    () => new Set(thread.messages.flatMap(({ id, unread }) => (unread || id === (messageId ?? last) ? [id] : []))),
  );
  const isOpen = (id: string): boolean => opened.has(id) || id === last;
  return (
    <>
      {thread.messages.map((message) =>
        isOpen(message.id) ? (
          <ShownMessage
            key={message.id}
            agent={agent}
            message={message}
            isNamed={message.id === messageId}
            onChange={reload}
          />
        ) : (
          <Folded
            key={message.id}
            agent={agent}
            message={message}
            open={() => setOpened(new Set([...opened, message.id]))}
          />
        ),
      )}
    </>
  );
};

export const ThreadReader = ({ agent, id, messageId }: ReaderProps) => {
  const loaded = useLoaded((signal) => api.mail.thread({ agent, id, limit: MOST_SHOWN }, { signal }), `${agent} ${id}`);
  const act = useAct();
  const [rawId, setRaw] = useState<string | null>(null);
  useLive(
    (event) => event?.data.thread_id === id,
    () => void loaded.reload(),
  );
  const messages = loaded.value?.messages ?? [];
  const isArchived = messages.length > 0 && messages.every(({ archived }) => archived);
  const isUnread = messages.some(({ unread }) => unread);

  const isLoaded = loaded.value !== null;
  const flag = async (flags: { archived?: boolean; unread?: boolean }, of = messages): Promise<void> => {
    for (const message of of) await api.mail.flag({ agent, id: message.id, ...flags });
    flagged.value += 1;
    await Promise.all([loaded.reload(), loadOverview()]);
  };
  const archive = (): void => {
    if (!isLoaded) return;
    const archived = !isArchived;
    void act.run(async () => {
      await flag({ archived });
      sayDone(archived ? 'Archived' : 'Moved back', {
        words: 'Undo',
        run: async () => {
          await flag({ archived: !archived });
          return null;
        },
      });
      return null;
    });
  };
  const toggleUnread = (): void => {
    if (!isLoaded) return;
    const unread = !isUnread;
    const last = messages.filter(({ direction }) => direction === 'in').slice(-1);
    void act.run(async () => {
      await flag({ unread }, unread ? last : messages.filter((message) => message.unread));
      return unread ? 'Marked unread' : 'Marked read';
    });
  };
  useKeys([
    { key: 'e', does: 'archive, or move back', run: archive },
    { key: 'u', does: 'mark read or unread', run: toggleUnread },
    { key: 'v', does: 'raw source', run: () => setRaw(messageId ?? messages.at(-1)?.id ?? null) },
  ]);

  return (
    <Show loaded={loaded} what="The thread" lines={6}>
      {(thread) => (
        <>
          <div class="head">
            <h1>
              <bdi>{thread.subject || '(no subject)'}</bdi>
            </h1>
            <div class="end line">
              <Button kind="quiet" isSmall busy={act.isBusy && 'Working…'} onClick={toggleUnread}>
                {isUnread ? 'Mark read' : 'Mark unread'}
              </Button>
              <Button kind="quiet" isSmall icon="archive" onClick={archive}>
                {isArchived ? 'Move back' : 'Archive'}
              </Button>
            </div>
          </div>
          {act.failure && <ActFailure text={act.failure} />}
          {thread.next_cursor && (
            <p class="dim small">
              The latest {MOST_SHOWN} of {thread.message_count} messages; a search finds the others.
            </p>
          )}
          <Messages agent={agent} thread={thread} messageId={messageId} reload={() => void loaded.reload()} />
          <p class="keys">
            <span>
              <kbd>j</kbd>
              <kbd>k</kbd> next, previous
            </span>
            <span>
              <kbd>e</kbd> archive
            </span>
            <span>
              <kbd>u</kbd> unread
            </span>
            <span>
              <kbd>v</kbd> raw source
            </span>
            <span>
              <kbd>?</kbd> all keys
            </span>
          </p>
          {rawId && <RawSource agent={agent} id={rawId} onClose={() => setRaw(null)} />}
        </>
      )}
    </Show>
  );
};
