/** Tells by push what has come to need the owners of a workspace: once for as long as it stands. */

import { HOUR } from '../../../kernel/clock.ts';
import type { WorkspaceId } from '../../../kernel/ids.ts';
import { findWorkspaceById, type Workspace } from '../../../store/accounts/workspaces.ts';
import type { PushData } from '../../../store/owners/owners-mappings.ts';
import { listWatchedWorkspaces } from '../../../store/owners/push-subscriptions.ts';
import { listToldNeeds, putToldNeed } from '../../../store/owners/told-needs.ts';
import type { Tx } from '../../../store/store.ts';
import type { FoundNeeds } from '../../home/contract.ts';
import type { Needs } from '../../needs.ts';

/** How often what stands is written down as seen; it is forgotten a day after it was seen last. */
const SEEN_EVERY_MS = HOUR;

/** What needs the owners of a workspace, as Home lists it. */
export type FindNeeds = (workspace: Workspace) => Promise<FoundNeeds>;

export interface TellNeedsNeeds extends Needs<'store' | 'clock' | 'onError'> {
  findNeeds: FindNeeds;
  tellNeed: (tx: Tx, told: { workspaceId: WorkspaceId; tag: string; data: PushData }) => Promise<void>;
}

const lookAt = async ({ store, clock, findNeeds, tellNeed }: TellNeedsNeeds, id: WorkspaceId): Promise<void> => {
  const workspace = await findWorkspaceById(store.read, id);
  if (!workspace) return;
  const now = clock.now();
  // Held mail is told with its cause, in the transaction that holds it.
  const needs = (await findNeeds(workspace)).needs.filter(({ kind }) => kind !== 'held');
  const isUnseen = (seenAt: number | undefined): boolean => seenAt === undefined || seenAt <= now - SEEN_EVERY_MS;
  const seen = await listToldNeeds(store.read, id);
  if (!needs.some(({ key }) => isUnseen(seen.get(key)))) return;
  await store.write(async (tx) => {
    const told = await listToldNeeds(tx.db, id);
    for (const { key, title, body, path } of needs) {
      if (!isUnseen(told.get(key))) continue;
      await putToldNeed(tx, id, key, now);
      if (!told.has(key))
        await tellNeed(tx, {
          workspaceId: id,
          tag: `${key} ${id}`,
          data: { kind: 'need', title, body, url: `/console${path}` },
        });
    }
  });
};

/** Looks at the workspaces of which a browser is told: no others cost anything. */
export const tellNeeds = async (needs: TellNeedsNeeds): Promise<void> => {
  for (const id of await listWatchedWorkspaces(needs.store.read, needs.clock.now())) {
    await lookAt(needs, id).catch(needs.onError);
  }
};
