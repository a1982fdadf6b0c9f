import type { z } from 'zod';
import { reachAgent } from '../../../access/reach.ts';
import { viewOf } from '../../../access/view-of.ts';
import type { OwnerCaller } from '../../../kernel/caller.ts';
import type { Millis } from '../../../kernel/clock.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { listLatestAgents } from '../../../store/accounts/agents.ts';
import type { MarkedThread } from '../../../store/mail/threads.ts';
import type { Needs } from '../../needs.ts';
import type { SearchMailboxes } from '../../search/view.ts';
import { asReader } from '../as-reader.ts';
import { type inboxContract, markedThreadShape } from './contract.ts';
import { readThreads } from './read-threads.ts';

export interface InboxNeeds extends Needs<'store'> {
  searchMailboxes: SearchMailboxes;
}

/** A search names each of them to the index: those with the latest mail. */
const MOST_SEARCHED = 200;

const viewMarked = viewOf(markedThreadShape, (_row: MarkedThread, agent: string) => ({ agent }));

type Show = z.output<typeof inboxContract.threads.input>['show'];

const IS_WANTED: Readonly<Record<Show, (thread: MarkedThread) => boolean>> = {
  open: ({ archived }) => !archived,
  archived: ({ archived }) => archived,
  unread: ({ unreadCount }) => unreadCount > 0,
  doubtful: ({ doubtful, archived }) => doubtful && !archived,
  bounced: ({ bounced, archived }) => bounced && !archived,
  all: () => true,
};

export const createInbox = ({ store, searchMailboxes }: InboxNeeds): Handlers<typeof inboxContract> => {
  const agentsOf = async (caller: OwnerCaller, named: string | undefined, upTo?: Millis) =>
    named === undefined
      ? listLatestAgents(store.read, caller.workspaceId, upTo)
      : [{ ...(await reachAgent(store.read, caller, named)), latestAt: Number.POSITIVE_INFINITY }];

  return {
    threads: async (caller, { agent, show, ...page }) => {
      const listMailboxes = (upTo?: Millis) => agentsOf(caller, agent, upTo);
      const { rows, next_cursor } = await readThreads(store.read, listMailboxes, IS_WANTED[show], page);
      const threads = rows.map((row) => viewMarked(row, row.mailbox.handle));
      return { threads, next_cursor };
    },

    search: async (caller, { agent, ...input }) => {
      const agents = (await agentsOf(caller, agent)).slice(0, MOST_SEARCHED);
      const [first] = agents;
      if (!first) return { hits: [], next_cursor: null };
      const handles = new Map(agents.map(({ mailboxId, handle }) => [mailboxId, handle]));
      const { hits, next_cursor } = await searchMailboxes(asReader(first), [...handles.keys()], input);
      return {
        hits: hits
          .map((hit) => ({ ...hit, agent: handles.get(hit.mailboxId) ?? '' }))
          .toSorted((one, other) => other.created_at.localeCompare(one.created_at)),
        next_cursor,
      };
    },
  };
};
