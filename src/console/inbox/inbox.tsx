/** The mail of all agents: one line a thread, the agent first; search over all, and views by address. */

import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { api } from '../api/client.ts';
import { isLive } from '../api/loaded.ts';
import { overview, unreadText } from '../api/overview.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { Button, Select } from '../components/controls.tsx';
import { count, plural } from '../components/format.ts';
import { Find, useFind } from '../components/inputs.tsx';
import { useKeys } from '../components/keys.ts';
import { Badge } from '../components/marks.tsx';
import { NewLine, Pager, usePaged } from '../components/pager.tsx';
import { asked } from '../frame/asked.ts';
import { TitleRow } from '../frame/bar.tsx';
import { useSteps } from '../frame/steps.ts';
import { useThreadPages } from '../mail/thread-pages.ts';
import { composing } from '../writing/composing.ts';
import { Drafts, Held } from './kept-lists.tsx';
import { HitLines, ThreadLines } from './lines.tsx';
import { SavedViews } from './saved-views.tsx';

const PAGE = 50;

type View = 'open' | 'unread' | 'doubtful' | 'bounced' | 'held' | 'archived' | 'drafts';

const VIEWS: readonly (readonly [View, string])[] = [
  ['open', 'All'],
  ['unread', 'Unread'],
  ['doubtful', 'Doubtful'],
  ['bounced', 'Bounced'],
  ['held', 'Held'],
  ['archived', 'Archived'],
  ['drafts', 'Drafts'],
];

const EMPTY: Readonly<Record<Exclude<View, 'held' | 'drafts'>, readonly [title: string, words: string]>> = {
  open: ['No mail yet', 'Mail to any of your agents shows here within a second.'],
  unread: ['Nothing is unread', 'What an agent has not read yet stands here.'],
  doubtful: ['Nothing is doubtful', 'Mail of senders who may be others than they say stands here.'],
  bounced: ['Nothing came back', 'Threads with mail that a recipient’s host refused stand here.'],
  archived: ['Nothing is archived', 'A thread that is archived leaves the others, and stands here.'],
};

/** The list's settings in the address. */
const readAddress = (search: string) => {
  const params = new URLSearchParams(search);
  const view = VIEWS.find(([each]) => each === params.get('show'))?.[0] ?? 'open';
  return { view, agent: params.get('agent') ?? '', q: params.get('q') ?? '' };
};

const addressOfView = (of: Readonly<Record<'show' | 'agent' | 'q', string>>): string => {
  const params = new URLSearchParams(Object.entries(of).filter(([, value]) => value !== '' && value !== 'open'));
  return params.size === 0 ? '/mail' : `/mail?${params}`;
};

interface ListProps {
  view: Exclude<View, 'held' | 'drafts'>;
  agent: string;
}

const List = ({ view, agent }: ListProps) => {
  const { page, pages, threads, fresh } = useThreadPages(`${view} ${agent}`, (at, options) =>
    api.inbox.threads({ show: view, limit: PAGE, ...(agent !== '' && { agent }), ...at }, options),
  );
  const links = threads.map(({ agent: of, id }) => `/agents/${of}/threads/${id}`);
  const agents = [...new Set(fresh.map(({ agent: of }) => of))];
  useSteps({ what: 'thread', links, at: -1 });
  return (
    <Show loaded={page} what="Mail" shape="table" lines={16}>
      {({ next_cursor }) => (
        <>
          <div class="box">
            <NewLine
              words={fresh.length > 0 ? `${count(fresh.length)} new, for ${agents.join(' and ')}` : null}
              onClick={page.reload}
            />
            {threads.length === 0 ? (
              <Empty icon="mail" title={next_cursor === null ? EMPTY[view][0] : 'None among the latest'}>
                {next_cursor === null ? EMPTY[view][1] : 'Older goes on looking.'}
              </Empty>
            ) : (
              <ThreadLines threads={threads} />
            )}
          </div>
          <Pager {...pages} next={next_cursor} />
        </>
      )}
    </Show>
  );
};

interface FoundProps {
  q: string;
  agent: string;
  pick: (agent: string) => void;
  search: string;
}

const Found = ({ q, agent, pick, search }: FoundProps) => {
  const { page: found, pages } = usePaged(`${q} ${agent}`, (at, options) =>
    api.inbox.search({ q, ...(agent !== '' && { agent }), ...at }, options),
  );
  /** Hits of each agent on the page of all agents. */
  const counts = useRef(new Map<string, number>());
  return (
    <Show loaded={found} what="The search" lines={10}>
      {({ hits: shown, next_cursor: next }) => {
        const own = Map.groupBy(shown, (hit) => hit.agent);
        if (agent === '') counts.current = new Map([...own].map(([of, { length }]) => [of, length]));
        const agents = new Set([...counts.current.keys(), ...own.keys()]);
        const countOf = (of: string): string => {
          if (of === agent) return `${count(shown.length)}${next === null ? '' : '+'}`;
          return of === '' ? '' : count(counts.current.get(of) ?? 0);
        };
        return (
          <>
            <div class="views">
              <span class="dim small">In</span>
              {['', ...agents].map((of) => (
                <button
                  key={of}
                  type="button"
                  class="btn quiet small"
                  aria-pressed={of === agent}
                  onClick={() => pick(of)}
                >
                  {of || 'All'} <span class="n">{countOf(of)}</span>
                </button>
              ))}
              <SavedViews search={search} />
            </div>
            <div class="box">
              {shown.length === 0 ? (
                <Empty icon="search" title={next === null ? `No mail matches “${q}”` : 'None among the latest'}>
                  {next === null
                    ? `Subjects, names, text and the names of files of ${plural(overview.value?.agents.length ?? 0, 'agent')} were searched, archive included. All words are wanted; a word may end in a star.`
                    : 'Older goes on looking.'}
                </Empty>
              ) : (
                <>
                  <h2>
                    <span role="status">
                      {plural(shown.length, 'message')} with “{q}”, the latest first
                    </span>
                  </h2>
                  <HitLines hits={shown} />
                </>
              )}
            </div>
            <Pager {...pages} next={next} />
          </>
        );
      }}
    </Show>
  );
};

export const Inbox = () => {
  const [, go] = useLocation();
  const search = useSearch();
  const { view, agent, q } = readAddress(search);
  const { q: typed, setText, find } = useFind(q);
  const set = (change: Partial<Record<'show' | 'agent' | 'q', string>>): void =>
    go(addressOfView({ show: view, agent, q, ...change }), { replace: true });
  useEffect(() => {
    if (typed !== q) set({ q: typed });
  }, [typed]);
  // Another view with other search words was opened.
  useEffect(() => {
    if (q !== typed) setText(q);
  }, [q]);
  useKeys(
    VIEWS.map(([show, words], at) => ({
      key: String(at + 1),
      does: `mail: ${words.toLowerCase()}`,
      run: () => set({ show, q: '' }),
    })),
  );
  const agents = overview.value?.agents ?? [];
  const unread = unreadText.value;
  const withUnread = agents.filter(({ counts }) => (counts?.unread ?? 0) > 0).length;
  return (
    <>
      <TitleRow
        title="Mail"
        context={
          <span class="dim wide-only">
            {unread === ''
              ? 'Nothing is unread'
              : `${unread} unread in ${withUnread} of ${plural(agents.length, 'agent')}`}
          </span>
        }
      >
        <Button words="New mail" onClick={() => (composing.value = agent === '' ? {} : { agent })} />
        <Button
          words={
            <>
              Find or do <kbd class="wide-only">Ctrl K</kbd>
            </>
          }
          kind="quiet"
          onClick={() => (asked.value = 'palette')}
        />
        {isLive.value && (
          <span class="wide-only">
            <Badge mark="ok">Live</Badge>
          </span>
        )}
      </TitleRow>
      <div class="page tight">
        <div class="inhead">
          <div class="tools">
            <Find
              label="Search the mail of all agents"
              placeholder="Words, from:, has:attachment"
              {...find}
              maxLength={1_000}
            />
            <Select
              label="Agent"
              value={agent}
              options={[['', 'All agents'], ...agents.map(({ handle }) => [handle, handle] as const)]}
              onChange={(wanted) => set({ agent: wanted })}
            />
          </div>
          {q === '' && (
            <div class="views">
              {VIEWS.map(([show, words]) => (
                <Link
                  key={show}
                  class="btn quiet small"
                  href={addressOfView({ show, agent, q: '' })}
                  aria-current={show === view ? 'true' : undefined}
                >
                  {words}
                  {show === 'unread' && unread !== '' && <span class="n">{unread}</span>}
                </Link>
              ))}
              <SavedViews search={search} />
            </div>
          )}
        </div>
        {q !== '' ? (
          <Found key={q} q={q} agent={agent} pick={(of) => set({ agent: of })} search={search} />
        ) : view === 'held' ? (
          <Held agent={agent} />
        ) : view === 'drafts' ? (
          <Drafts agent={agent} />
        ) : (
          <List key={`${view} ${agent}`} view={view} agent={agent} />
        )}
      </div>
    </>
  );
};
