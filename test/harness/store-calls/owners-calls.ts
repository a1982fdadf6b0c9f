import { domainOf } from '../../../src/kernel/address.ts';
import { findWorkspaceById } from '../../../src/store/accounts/workspaces.ts';
import * as endedOwners from '../../../src/store/owners/ended-owners.ts';
import * as invitations from '../../../src/store/owners/invitations.ts';
import * as drafts from '../../../src/store/owners/mail-drafts.ts';
import * as ownAddresses from '../../../src/store/owners/own-addresses.ts';
import * as sessions from '../../../src/store/owners/owner-sessions.ts';
import * as owners from '../../../src/store/owners/owners.ts';
import * as passkeys from '../../../src/store/owners/passkeys.ts';
import * as links from '../../../src/store/owners/sign-in-links.ts';
import { type CallContext, type CallsOf, REMOTE, unknownId } from './call.ts';

const HASH = Buffer.alloc(32);

const insertOwner = ({ tx, now }: CallContext) =>
  owners.ensureOwner(tx, { id: unknownId(), email: REMOTE, verifiedAt: null, createdAt: now });

const insertSession = async (context: CallContext): Promise<void> => {
  const { id: ownerId } = await insertOwner(context);
  const { tx, now } = context;
  await sessions.insertOwnerSession(tx, {
    hash: HASH,
    ownerId,
    browser: 'a browser',
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + 1,
  });
};

export const ownerCalls: CallsOf<typeof owners> = {
  ensureOwner: insertOwner,
  putSetUpAway: ({ tx, now }) => owners.putSetUpAway(tx, REMOTE, now),
  findOwner: ({ db }) => owners.findOwner(db, REMOTE),
  findOwnerById: ({ db }) => owners.findOwnerById(db, unknownId()),
  setOwnerVerified: ({ tx, now }) => owners.setOwnerVerified(tx, unknownId(), now),
  addWorkspaceOwner: async (context) => {
    const { id } = await insertOwner(context);
    await owners.addWorkspaceOwner(context.tx, context.small.workspaceId, id, context.now);
  },
  removeWorkspaceOwner: ({ tx, small }) => owners.removeWorkspaceOwner(tx, small.workspaceId, unknownId()),
  removeWorkspaceOwners: ({ tx, small }) => owners.removeWorkspaceOwners(tx, small.workspaceId),
  listWorkspaceOwners: async ({ db, small }) => [
    await owners.listWorkspaceOwners(db, null),
    await owners.listWorkspaceOwners(db, small.workspaceId),
  ],
  hasWorkspace: ({ db }) => owners.hasWorkspace(db, unknownId()),
  listWorkspacesOf: ({ db }) => owners.listWorkspacesOf(db, unknownId()),
};

export const endedOwnerCalls: CallsOf<typeof endedOwners> = {
  endOwnerWithoutWorkspace: async (context) => {
    const { id } = await insertOwner(context);
    await endedOwners.endOwnerWithoutWorkspace(context.tx, id);
  },
};

export const signInLinkCalls: CallsOf<typeof links> = {
  insertSignInLink: ({ tx, now }) =>
    links.insertSignInLink(tx, {
      ...{ hash: HASH, email: REMOTE, kind: 'mailed', workspaceId: null },
      ...{ createdAt: now, expiresAt: now + 1 },
    }),
  findSignInLink: ({ db }) => links.findSignInLink(db, HASH),
  useSignInLink: ({ tx, now }) => links.useSignInLink(tx, HASH, now),
  countSignInLinks: ({ db, now }) => links.countSignInLinks(db, REMOTE, 'mailed', now),
  voidLinksAtDomain: ({ tx, now }) => links.voidLinksAtDomain(tx, domainOf(REMOTE), now),
  voidSignInLinks: ({ tx, now }) => links.voidSignInLinks(tx, REMOTE, now),
};

export const invitationCalls: CallsOf<typeof invitations> = {
  insertInvitation: ({ tx, small, now }) =>
    invitations.insertInvitation(tx, {
      ...{ hash: HASH, workspaceId: small.workspaceId, email: REMOTE, invitedBy: REMOTE },
      ...{ createdAt: now, expiresAt: now + 1 },
    }),
  findInvitation: ({ db }) => invitations.findInvitation(db, HASH),
  listOpenInvitations: ({ db, small, now }) => invitations.listOpenInvitations(db, small.workspaceId, now),
  endInvitation: ({ tx, now }) => invitations.endInvitation(tx, HASH, now),
  endInvitationsTo: ({ tx, small, now }) => invitations.endInvitationsTo(tx, small.workspaceId, REMOTE, now),
  countInvitationsTo: ({ db, now }) => invitations.countInvitationsTo(db, REMOTE, now),
  countInvitationsOf: ({ db, small, now }) => invitations.countInvitationsOf(db, small.workspaceId, now),
  endInvitationsAtDomain: ({ tx, now }) => invitations.endInvitationsAtDomain(tx, domainOf(REMOTE), now),
};

export const ownAddressCalls: CallsOf<typeof ownAddresses> = {
  isOwnAddress: ({ db }) => ownAddresses.isOwnAddress(db, REMOTE, 'box.test'),
  listOwnersOn: ({ db, small }) => ownAddresses.listOwnersOn(db, small.workspaceId, domainOf(REMOTE)),
  isOwnerAddress: ({ db }) => ownAddresses.isOwnerAddress(db, REMOTE),
  findNoticeAddress: async ({ db, small }) => {
    const workspace = await findWorkspaceById(db, small.workspaceId);
    return workspace && ownAddresses.findNoticeAddress(db, workspace, 'box.test');
  },
};

export const ownerSessionCalls: CallsOf<typeof sessions> = {
  insertOwnerSession: insertSession,
  findOwnerSession: ({ db, now }) => sessions.findOwnerSession(db, HASH, now),
  touchOwnerSession: ({ tx, now }) => sessions.touchOwnerSession(tx, HASH, now, now + 1),
  deleteOwnerSession: ({ tx }) => sessions.deleteOwnerSession(tx, HASH),
  listSessionsOf: ({ db, now }) => sessions.listSessionsOf(db, unknownId(), now),
  deleteSessionsOf: ({ tx }) => sessions.deleteSessionsOf(tx, unknownId()),
  trimSessionsOf: async (context) => {
    await insertSession(context);
    await sessions.trimSessionsOf(context.tx, unknownId(), 0);
  },
};

const PASSKEY = Buffer.from('passkey');

export const passkeyCalls: CallsOf<typeof passkeys> = {
  insertPasskey: async (context) => {
    const { id: ownerId } = await insertOwner(context);
    const times = { createdAt: context.now, lastUsedAt: null };
    const passkey = { id: PASSKEY, ownerId, name: 'Key', publicKey: HASH, counter: 0, transports: [], ...times };
    await passkeys.insertPasskey(context.tx, passkey);
  },
  findPasskey: ({ db }) => passkeys.findPasskey(db, PASSKEY),
  listPasskeysOf: ({ db }) => passkeys.listPasskeysOf(db, unknownId()),
  touchPasskey: ({ tx, now }) => passkeys.touchPasskey(tx, PASSKEY, 1, now),
  deletePasskeysOf: ({ tx }) => passkeys.deletePasskeysOf(tx, unknownId()),
  deletePasskey: ({ tx }) => passkeys.deletePasskey(tx, unknownId(), PASSKEY),
};

const DRAFT = unknownId<'draft'>();
const ABOUT = { kind: 'reply', messageId: unknownId<'message'>() } as const;

const insertDraft = async ({ tx, small, now }: CallContext): Promise<void> => {
  const { workspaceId, agentId } = small;
  const about = { id: DRAFT, workspaceId, agentId, owner: REMOTE, messageId: unknownId<'message'>(), updatedAt: now };
  await drafts.insertDraft(tx, { ...about, kind: 'reply', to: [], cc: [], bcc: [], subject: 'S', body: 'B' });
};

const draftOwner = ({ small: { workspaceId } }: CallContext) => ({ workspaceId, owner: REMOTE });

export const draftCalls: CallsOf<typeof drafts> = {
  insertDraft,
  countDrafts: (context) => drafts.countDrafts(context.db, draftOwner(context)),
  listDrafts: (context) => drafts.listDrafts(context.db, draftOwner(context), 200),
  findDraft: (context) => drafts.findDraft(context.db, draftOwner(context), DRAFT),
  findDraftAbout: (context) =>
    drafts.findDraftAbout(context.db, draftOwner(context), { ...ABOUT, agentId: context.small.agentId }),
  updateDraft: ({ tx, small: { agentId }, now }) =>
    drafts.updateDraft(tx, DRAFT, { agentId, to: [], cc: [], bcc: [], subject: 'S', body: 'B', updatedAt: now }),
  deleteDraft: ({ tx }) => drafts.deleteDraft(tx, DRAFT),
  deleteDraftsOfAgent: ({ tx, small }) => drafts.deleteDraftsOfAgent(tx, small.agentId),
  deleteDraftsOfOwner: (context) => drafts.deleteDraftsOfOwner(context.tx, draftOwner(context)),
  listDraftFiles: ({ db }) => drafts.listDraftFiles(db, DRAFT),
  readDraftFiles: ({ db }) => drafts.readDraftFiles(db, DRAFT),
  sumDraftFiles: (context) => drafts.sumDraftFiles(context.db, draftOwner(context)),
  insertDraftFile: async (context) => {
    await insertDraft(context);
    const file = { filename: 'a.txt', contentType: 'text/plain', size: 1, content: Buffer.from('a') };
    await drafts.insertDraftFile(context.tx, { id: unknownId(), draftId: DRAFT, ...file });
  },
  deleteDraftFile: ({ tx }) => drafts.deleteDraftFile(tx, DRAFT, unknownId()),
};
