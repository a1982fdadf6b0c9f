/** Refuses a value of the vault in an agent's text that leaves the instance without a person's review. */

import { ApiError } from '../kernel/errors.ts';
import type { WorkspaceId } from '../kernel/ids.ts';
import { LeakSearch } from '../seal/leak-index.ts';
import { leakViews } from '../seal/leak-views.ts';
import type { Db } from '../store/store.ts';
import type { LeakGuard } from './leak-guard.ts';

/** @throws ApiError holds_a_secret; vault_unavailable where no search is possible */
export type RequireNoSecret = (workspaceId: WorkspaceId, texts: readonly string[]) => Promise<void>;

export const createRequireNoSecret =
  (leakGuard: Pick<LeakGuard, 'find'>, read: Db): RequireNoSecret =>
  async (workspaceId, texts) => {
    const check = await leakGuard.find(read, workspaceId);
    if (check.kind === 'none') return;
    if (check.kind === 'unavailable') throw new ApiError('vault_unavailable');
    const search = new LeakSearch(check.index);
    const found = new Set<number>();
    for (const text of texts) for (const view of leakViews(Buffer.from(text))) search.find(view, found);
    if (found.size > 0) throw new ApiError('holds_a_secret');
  };
