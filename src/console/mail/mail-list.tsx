/** Threads, the latest first, or what a search finds, the best first. A page at a time: a mailbox may have 100 000. */

import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { useReloadOn } from '../api/loaded.ts';
import { Empty, Show, Time } from '../components/blocks.tsx';
import { Select } from '../components/controls.tsx';
import { count, plainWords, plural } from '../components/format.ts';
import { Find } from '../components/inputs.tsx';
import { otherSideOf } from '../components/mail-parts.tsx';
import { Badge } from '../components/marks.tsx';
import { NewLine, Pager, usePaged } from '../components/pager.tsx';
import { useSearchText } from '../frame/search-text.ts';
import { useSteps } from '../frame/steps.ts';
import { flagged, listed } from './beside.ts';
import { useThreadPages } from './thread-pages.ts';
import { Excerpt, participantsOf } from './thread-words.tsx';

type Thread = Answer<'inbox', 'threads'>['threads'][number];
type Hit = Answer<'mail', 'search'>['hits'][number];

const PAGE = 50;

const ThreadItem = ({ thread, agent, isOpen }: { thread: Thread; agent: string; isOpen: boolean }) => (
  <Link
    class={`item ${thread.unread_count > 0 ? 'unread' : ''}`}
    href={`/agents/${agent}/threads/${thread.id}`}
    aria-current={isOpen ? 'true' : undefined}
  >
    <span class="who clip">
      <bdi>{participantsOf(thread, agent)}</bdi>
      {thread.message_count > 1 && <span class="n">{count(thread.message_count)}</span>}
      {thread.unread_count > 0 && <span class="sr">, {thread.unread_count} unread</span>}
      {thread.archived && <span class="n">archived</span>}
    </span>
    <Time at={thread.last_message_at} />
    <span class="subj clip">
      <bdi>{thread.subject || '(no subject)'}</bdi>
    </span>
    <span class="snip clip">
      {thread.bounced && <Badge mark="bad">bounced</Badge>} {thread.doubtful && <Badge mark="warn">doubtful</Badge>}{' '}
      <bdi>{plainWords(thread.snippet)}</bdi>
    </span>
  </Link>
);

const HitItem = ({ hit, agent, isOpen }: { hit: Hit; agent: string; isOpen: boolean }) => (
  <Link class="item" href={`/agents/${agent}/messages/${hit.message_id}`} aria-current={isOpen ? 'true' : undefined}>
    <span class="who clip">
      {hit.direction === 'out' && 'to '}
      <bdi>{otherSideOf(hit)}</bdi>
    </span>
    <Time at={hit.created_at} />
    <span class="subj clip">
      <bdi>{hit.subject || '(no subject)'}</bdi>
    </span>
    <span class="snip clip">
      <Excerpt text={hit.excerpt} />
    </span>
  </Link>
);

/** Steps of a list, which the reader beside it uses, too. */
const useListed = (what: string, links: readonly string[], at: number): void => {
  useSteps({ what, links, at });
  useEffect(() => {
    listed.value = links;
  }, [links.join()]);
};

interface ListProps {
  agent: string;
  openThread: string | undefined;
  openMessage: string | undefined;
}

type Which = 'open' | 'archived' | 'all';

const SHOWN = [
  ['open', 'Open'],
  ['archived', 'Archived'],
  ['all', 'All'],
] as const;

const EMPTY: Readonly<Record<Which, readonly [title: string, words: string]>> = {
  open: ['No open threads', 'What comes to this address, and what the agent sends, stands here by thread.'],
  archived: ['Nothing is archived', 'A thread that is archived leaves the open ones, and stands here.'],
  all: ['No mail yet', 'What comes to this address, and what the agent sends, stands here by thread.'],
};

interface ThreadsProps {
  agent: string;
  openThread: string | undefined;
  show: Which;
}

const Threads = ({ agent, openThread, show }: ThreadsProps) => {
  const { page, pages, threads, fresh } = useThreadPages(`${agent} ${show}`, (at, options) =>
    api.inbox.threads({ agent, show, limit: PAGE, ...at }, options),
  );
  // Updates the rows after the reader's acts at once.
  useReloadOn(page, [flagged.value]);
  const at = threads.findIndex(({ id }) => id === openThread);
  useListed(
    'thread',
    threads.map(({ id }) => `/agents/${agent}/threads/${id}`),
    at,
  );
  return (
    <Show loaded={page} what="The threads" lines={12}>
      {({ next_cursor }) => (
        <>
          <NewLine words={fresh.length > 0 ? `${count(fresh.length)} new` : null} onClick={page.reload} />
          {threads.length === 0 ? (
            <Empty icon="mail" title={next_cursor === null ? EMPTY[show][0] : 'None among the latest'}>
              {next_cursor === null ? EMPTY[show][1] : 'Older goes on looking.'}
            </Empty>
          ) : (
            <nav aria-label="Threads">
              {threads.map((thread) => (
                <ThreadItem key={thread.id} thread={thread} agent={agent} isOpen={thread.id === openThread} />
              ))}
            </nav>
          )}
          <Pager {...pages} next={next_cursor} />
        </>
      )}
    </Show>
  );
};

const Hits = ({ agent, text, openMessage }: { agent: string; text: string; openMessage: string | undefined }) => {
  const { page, pages } = usePaged(`${agent} ${text}`, (at, options) =>
    api.mail.search({ agent, q: text, limit: PAGE, ...at }, options),
  );
  const hits = page.value?.hits ?? [];
  const at = hits.findIndex(({ message_id }) => message_id === openMessage);
  useListed(
    'message',
    hits.map((hit) => `/agents/${agent}/messages/${hit.message_id}`),
    at,
  );
  return (
    <Show loaded={page} what="The search" lines={8}>
      {({ next_cursor, partial }) => (
        <>
          <p class="sr" role="status">
            {plural(hits.length, 'message')} found
          </p>
          {hits.length === 0 ? (
            <Empty icon="search" title="Nothing matches">
              All words are wanted. A word may end in a star; from:, subject:, has:attachment and is:unread narrow it
              down.
            </Empty>
          ) : (
            <nav aria-label="Found messages">
              {hits.map((hit) => (
                <HitItem key={hit.message_id} hit={hit} agent={agent} isOpen={hit.message_id === openMessage} />
              ))}
            </nav>
          )}
          {partial && <p class="dim small inset">Older mail was not ranked in time; it comes with Older.</p>}
          <Pager {...pages} next={next_cursor} />
        </>
      )}
    </Show>
  );
};

export const MailList = ({ agent, openThread, openMessage }: ListProps) => {
  const { q: asked, find } = useSearchText();
  const [show, setShow] = useState<Which>('open');
  return (
    <>
      <div class="tools">
        <Find label="Search mail" placeholder="Words, from:, has:attachment" {...find} maxLength={1_000} />
        {asked === '' && (
          <Select label="Threads shown" value={show} options={SHOWN} onChange={(wanted) => setShow(wanted as Which)} />
        )}
      </div>
      {asked === '' ? (
        <Threads key={`${agent} ${show}`} agent={agent} openThread={openThread} show={show} />
      ) : (
        <Hits key={`${agent} ${asked}`} agent={agent} text={asked} openMessage={openMessage} />
      )}
    </>
  );
};
