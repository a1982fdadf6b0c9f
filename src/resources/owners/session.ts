/** The signed-in person, and signing out. */

import type { ListedSession } from '../../access/owner-sessions.ts';
import { viewOf } from '../../access/view-of.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { findOwnerById, listWorkspacesOf } from '../../store/owners/owners.ts';
import { voidSignInLinks } from '../../store/owners/sign-in-links.ts';
import type { Needs } from '../needs.ts';
import { recordForWorkspaces } from './record-for-workspaces.ts';
import { sessionContract, sessionWorkspace } from './session-contract.ts';

const viewWorkspace = viewOf(sessionWorkspace, ({ verifiedAt }: Workspace) => ({ is_verified: verifiedAt !== null }));

const viewSession = viewOf(sessionContract.list.output.shape.sessions.element, ({ isOwn }: ListedSession) => ({
  is_this: isOwn,
}));

export const createSession = (
  needs: Needs<'store' | 'clock' | 'hostname' | 'servedZone' | 'isLocalOnly' | 'ownerSessions'>,
): Handlers<typeof sessionContract> => {
  const { store, clock, hostname, servedZone, isLocalOnly, ownerSessions } = needs;
  return {
    get: async ({ ownerId, email }) => {
      const workspaces = await listWorkspacesOf(store.read, ownerId);
      const owner = await findOwnerById(store.read, ownerId);
      return {
        email,
        hostname,
        served_zone: servedZone,
        is_local: isLocalOnly,
        set_up_away: owner?.setUpAwayAt != null,
        workspaces: workspaces.map(viewWorkspace),
      };
    },

    list: async ({ ownerId, secret }) => ({
      sessions: (await ownerSessions.list(ownerId, secret)).map(viewSession),
    }),

    endOne: ({ ownerId, email }, { id }, { record }) =>
      store.write(async (tx) => {
        const ended = await ownerSessions.endById(tx, ownerId, id);
        if (!ended) throw new ApiError('not_found');
        return recordForWorkspaces(
          record,
          tx,
          ownerId,
          { subject: email, detail: { one: true } },
          { ended: true as const },
        );
      }),

    end: ({ ownerId, email, secret }, { everywhere }, { record }) =>
      store.write(async (tx) => {
        if (everywhere) {
          await ownerSessions.endAll(tx, ownerId);
          await voidSignInLinks(tx, email, clock.now());
        } else await ownerSessions.end(tx, secret);
        const detail = everywhere ? { everywhere } : {};
        return recordForWorkspaces(record, tx, ownerId, { subject: email, detail }, { ended: true as const });
      }),
  };
};
