/** One thread: its subject, its acts, its messages. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { useLive, useLoaded } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { Show } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { CopyButton } from '../components/copy.tsx';
import { useKeys } from '../components/keys.ts';
import { sayDone } from '../components/toast.tsx';
import { useGoOn } from '../frame/go-on.ts';
import { type Answering, ReplyBar } from '../writing/reply-bar.tsx';
import { flagged, listed, openThread } from './beside.ts';
import { Conversation, opensAtFirst, type Thread } from './conversation.tsx';
import { RawSource } from './raw-source.tsx';
import { loadMessage } from './shown-message.tsx';

/** Beyond them a thread is read by its newer end. */
const MOST_SHOWN = 100;
/** Messages that are loaded with their thread, so that nothing moves as they come. */
const MOST_ALONG = 10;

interface ReaderProps {
  agent: string;
  id: string;
  /** The message that a link names. */
  messageId?: string;
}

/** The latest draft about one of its messages. */
const findDraft = ({ messages }: Thread, drafts: Answer<'writing', 'drafts'>['drafts']): Answering | null => {
  const ids = new Set(messages.map((message) => message.id));
  const [kept] = drafts.flatMap(({ kind, message_id: messageId }) =>
    kind !== 'new' && messageId !== null && ids.has(messageId) ? [{ kind, messageId, isCalled: false }] : [],
  );
  return kept ?? null;
};

/** The thread, first its open messages, and the answer in progress. */
const useThread = ({ agent, id, messageId }: ReaderProps) => {
  const [details, setDetails] = useState<ReadonlyMap<string, Awaited<ReturnType<typeof loadMessage>>> | null>(null);
  const [answering, setAnswering] = useState<Answering | null>(null);
  const loaded = useLoaded(async (signal) => {
    const [thread, { drafts }] = await Promise.all([
      api.mail.thread({ agent, id, limit: MOST_SHOWN }, { signal }),
      details === null ? api.writing.drafts({}, { signal }) : { drafts: [] },
    ]);
    if (details === null) {
      setAnswering(findDraft(thread, drafts));
      const first = opensAtFirst(thread, messageId).slice(-MOST_ALONG);
      const all = await Promise.all(
        first.map(({ id: of }) =>
          loadMessage(agent, of, signal).then(
            (detail) => [[of, detail] as const],
            () => [],
          ),
        ),
      );
      setDetails(new Map(all.flat()));
    }
    return thread;
  }, `${agent} ${id}`);
  return { loaded, details: details ?? new Map(), answering, setAnswering };
};

export const ThreadReader = ({ agent, id, messageId }: ReaderProps) => {
  const { loaded, details, answering, setAnswering } = useThread({
    agent,
    id,
    ...(messageId !== undefined && { messageId }),
  });
  const act = useAct();
  const goOn = useGoOn();
  const [path] = useLocation();
  const [rawId, setRaw] = useState<string | null>(null);
  useLive(
    (event) => event?.data.thread_id === id,
    () => void loaded.reload(),
  );
  const messages = loaded.value?.messages ?? [];
  const isArchived = messages.length > 0 && messages.every(({ archived }) => archived);
  const isUnread = messages.some(({ unread }) => unread);
  const subject = loaded.value && (loaded.value.subject || '(no subject)');
  const isLoaded = loaded.value !== null;
  const flag = async (
    flags: { archived?: boolean; unread?: boolean },
    of: readonly Thread['messages'][number][] = messages,
  ): Promise<void> => {
    for (const message of of) await api.mail.flag({ agent, id: message.id, ...flags });
    flagged.value += 1;
    await Promise.all([loaded.reload(), loadOverview()]);
  };
  const archive = (): void => {
    if (!isLoaded) return;
    const archived = !isArchived;
    const at = listed.value.indexOf(path);
    const next = at < 0 ? undefined : (listed.value[at + 1] ?? listed.value[at - 1]);
    const go = goOn();
    act.run(async () => {
      await flag({ archived });
      sayDone(archived ? 'Archived' : 'Moved back', async () => {
        await flag({ archived: !archived });
      });
      if (archived) go(next ?? `/agents/${agent}`);
    });
  };
  const latest = useRef(archive);
  latest.current = archive;
  useEffect(() => {
    openThread.value = subject === null ? null : { subject, archive: () => latest.current() };
    return () => {
      openThread.value = null;
    };
  }, [subject]);
  const mark = (of: readonly Thread['messages'][number][], unread: boolean): void =>
    act.run(async () => {
      await flag({ unread }, of);
      return unread ? 'Marked unread' : 'Marked read';
    });
  const toggleUnread = (): void => {
    if (!isLoaded) return;
    const last = messages.filter(({ direction }) => direction === 'in').slice(-1);
    mark(isUnread ? messages.filter(({ unread }) => unread) : last, !isUnread);
  };
  useKeys([
    { key: 'e', does: 'archive, or move back', run: archive },
    { key: 'u', does: 'mark read or unread', run: toggleUnread },
    { key: 'v', does: 'raw source', run: () => setRaw(messageId ?? messages.at(-1)?.id ?? null) },
  ]);

  return (
    <Show loaded={loaded} what="The conversation" lines={6}>
      {(thread) => (
        <>
          <header class="thead">
            <div class="head">
              <h1 class="clip">
                <bdi>{subject}</bdi>
              </h1>
              <div class="end line">
                <CopyButton value={location.href} of="the link" />
                <Button
                  words={isArchived ? 'Move back' : 'Archive'}
                  isSmall
                  icon="archive"
                  hint="e"
                  busy={act.isBusy && 'Working…'}
                  onClick={archive}
                />
              </div>
            </div>
          </header>
          <ActFailure text={act.failure} />
          {thread.next_cursor && (
            <p class="dim small">
              The latest {MOST_SHOWN} of {thread.message_count} messages; a search finds the others.
            </p>
          )}
          <Conversation
            agent={agent}
            thread={thread}
            details={details}
            messageId={messageId}
            mark={(message, unread) => mark([message], unread)}
            answer={(kind, message) => setAnswering({ kind, messageId: message.id, isCalled: true })}
          />
          <ReplyBar
            agent={agent}
            answering={answering}
            setAnswering={setAnswering}
            messages={thread.messages}
            reload={() => void loaded.reload()}
          />
          {rawId && <RawSource agent={agent} id={rawId} onClose={() => setRaw(null)} />}
        </>
      )}
    </Show>
  );
};
