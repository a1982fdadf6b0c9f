/** Work under way: crawls as the store has them, the rest as its processes note it. */

import { isoTime } from '../../../kernel/clock.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { findWorkspaceById } from '../../../store/accounts/workspaces.ts';
import { countCrawlUrls } from '../../../store/knowledge/crawl-urls.ts';
import { listQueuedSources } from '../../../store/knowledge/sources.ts';
import type { Needs } from '../../needs.ts';
import type { workContract } from './contract.ts';

const MOST_CRAWLS = 1_000;

export const createWork = ({ store, underWay }: Needs<'store' | 'underWay'>): Handlers<typeof workContract> => ({
  list: async ({ workspaceId }) => {
    const crawls = [];
    for (const { seq, title, url } of await listQueuedSources(store.read, workspaceId, MOST_CRAWLS)) {
      const { waiting, done, failed } = await countCrawlUrls(store.read, seq);
      const total = waiting + done + failed;
      const name = title ?? url;
      crawls.push({
        kind: 'crawl' as const,
        name,
        since: null,
        done: done + failed,
        total: total === 0 ? null : total,
      });
    }
    const own = underWay.list().filter((item) => item.workspaceId === workspaceId || item.workspaceId === null);
    // Who signed up is a guest of the instance, and is not told of its backups.
    const isGuest = (await findWorkspaceById(store.read, workspaceId))?.claimHash !== null;
    const shown = own.filter((item) => item.workspaceId !== null || !isGuest);
    return {
      work: [
        ...crawls,
        ...shown.map(({ kind, name, since, done, total }) => ({ kind, name, done, total, since: isoTime(since) })),
      ],
    };
  },
});
