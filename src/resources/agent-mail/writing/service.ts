/** Keeps an owner's drafts in the name of an agent, and sends them by the agents' own operations. */

import { reachAgent } from '../../../access/reach.ts';
import { type Address, formatNamed, type NamedAddress } from '../../../kernel/address.ts';
import { emailOfOwner, type OwnerCaller } from '../../../kernel/caller.ts';
import { isoTime, type Millis } from '../../../kernel/clock.ts';
import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { Call, Handlers, Recorded } from '../../../kernel/handlers.ts';
import type { DraftFileId, DraftId, MessageId } from '../../../kernel/ids.ts';
import { forwardSubject, replySubject } from '../../../mail/compose/reply-fields.ts';
import { MAX_ATTACHMENT_BYTES } from '../../../outbound/gate/gate-checks.ts';
import { type Agent, findAgentById } from '../../../store/accounts/agents.ts';
import { listAddresses } from '../../../store/accounts/recipient-lookup.ts';
import { findMessage, type StoredMessage } from '../../../store/mail/messages.ts';
import {
  countDrafts,
  type DraftOwner,
  deleteDraft,
  deleteDraftFile,
  findDraft,
  findDraftAbout,
  insertDraft,
  insertDraftFile,
  listDraftFiles,
  listDrafts,
  type MailDraft,
  readDraftFiles,
  sumDraftFiles,
  updateDraft,
} from '../../../store/owners/mail-drafts.ts';
import type { Db, Tx } from '../../../store/store.ts';
import { type ForwardMore, MAX_FILES, type SendResult, type sendOperations } from '../../messages/send/contract.ts';
import type { Needs } from '../../needs.ts';
import { asSender } from '../as-reader.ts';
import type { DraftView, writingContract } from './contract.ts';
import { viewBlank, viewDraft, viewDraftHead, viewFile } from './view.ts';

type Sends = Handlers<typeof sendOperations>;

export interface WritingNeeds extends Needs<'store' | 'clock' | 'newId'> {
  sending: {
    send: Sends['send'];
    forward: (
      caller: Parameters<Sends['forward']>[0],
      input: Parameters<Sends['forward']>[1] & ForwardMore,
      call: Call,
    ) => ReturnType<Sends['forward']>;
  };
  /** @param own the mailbox's addresses */
  recipientsOf: (
    kind: 'reply' | 'reply_all',
    original: StoredMessage,
    own: readonly Address[],
  ) => { to: NamedAddress[]; cc: NamedAddress[] };
}

/** Drafts of one owner in one workspace. */
const MAX_DRAFTS = 50;
const MAX_OCTETS_OF_ALL = 5 * MAX_ATTACHMENT_BYTES;
const SNIPPET_CHARS = 200;

const ownerOf = (caller: OwnerCaller): DraftOwner => ({
  workspaceId: caller.workspaceId,
  owner: emailOfOwner(caller),
});

/** @param keptAt of the text that its writer sees: two windows on a draft do not overwrite each other's text */
const requireDraft = async (db: Db, of: DraftOwner, id: DraftId, keptAt?: Millis): Promise<MailDraft> => {
  const draft = await findDraft(db, of, id);
  return requireFound(keptAt === undefined || draft?.updatedAt === keptAt ? draft : null, 'draft_not_found');
};

/** @throws ApiError message_not_found where the agent does not have the named message */
const requireOriginal = async (db: Db, agent: Agent, id: MessageId | undefined): Promise<StoredMessage | null> => {
  if (id === undefined) return null;
  return requireFound(await findMessage(db, agent.mailboxId, id), 'message_not_found');
};

/** Refuses the second of two sends at once, which finds the draft gone, and one that lacks a file that came since. */
const endSentDraft = async (tx: Tx, id: DraftId, sent: readonly { id: DraftFileId }[]): Promise<void> => {
  const files = await listDraftFiles(tx.db, id);
  if (!(await deleteDraft(tx, id))) throw new ApiError('draft_not_found');
  const isSent = files.length === sent.length && files.every((file) => sent.some((each) => each.id === file.id));
  if (!isSent)
    throw new ApiError('revision_conflict', { hint: 'A file was added or removed meanwhile. Send it again.' });
};

export const createWriting = ({
  store,
  clock,
  newId,
  sending,
  recipientsOf,
}: WritingNeeds): Handlers<typeof writingContract> => {
  const show = async (draft: MailDraft): Promise<DraftView> => {
    const agent = requireFound(await findAgentById(store.read, draft.agentId), 'draft_not_found');
    const original = draft.messageId && (await findMessage(store.read, agent.mailboxId, draft.messageId));
    return viewDraft(draft, agent.handle, await listDraftFiles(store.read, draft.id), original);
  };

  /** The first recipients and subject of an answer or a forward. */
  const propose = async (
    { handle: agent, mailboxId }: Agent,
    kind: MailDraft['kind'],
    original: StoredMessage,
  ): Promise<DraftView> => {
    if (kind === 'forward' || kind === 'new') {
      return viewBlank({ agent, kind, to: [], cc: [], subject: forwardSubject(original.subject) }, original);
    }
    const { to, cc } = recipientsOf(kind, original, await listAddresses(store.read, mailboxId));
    const recipients = { to: to.map(formatNamed), cc: cc.map(formatNamed) };
    return viewBlank({ agent, kind, ...recipients, subject: replySubject(original.subject) }, original);
  };

  const viewFiles = async (db: Db, id: DraftId) => ({ files: (await listDraftFiles(db, id)).map(viewFile) });

  return {
    begin: async (caller, { agent: name, kind, message_id: id }) => {
      const agent = await reachAgent(store.read, caller, name);
      const original = await requireOriginal(store.read, agent, id);
      if (!original) return viewBlank({ agent: agent.handle, kind, to: [], cc: [], subject: '' }, null);
      const about = { agentId: agent.id, kind, messageId: original.id };
      const kept = await findDraftAbout(store.read, ownerOf(caller), about);
      return kept ? show(kept) : propose(agent, kind, original);
    },

    drafts: async (caller) => {
      const drafts = await listDrafts(store.read, ownerOf(caller), SNIPPET_CHARS);
      const agents = new Map<string, Agent | null>();
      for (const { agentId } of drafts) {
        if (!agents.has(agentId)) agents.set(agentId, await findAgentById(store.read, agentId));
      }
      return {
        drafts: drafts.flatMap((draft) => {
          const handle = agents.get(draft.agentId)?.handle;
          return handle === undefined ? [] : [{ ...viewDraftHead(draft, handle), snippet: draft.snippet }];
        }),
      };
    },

    draft: async (caller, { draft_id: id }) => show(await requireDraft(store.read, ownerOf(caller), id)),

    save: async (
      caller,
      { draft_id: known, kept_at: keptAt, agent: name, kind, message_id: messageId, ...written },
    ) => {
      const agent = await reachAgent(store.read, caller, name);
      // What is written is kept where the original is gone since.
      if (known === undefined) await requireOriginal(store.read, agent, messageId);
      const of = ownerOf(caller);
      const updatedAt = clock.now();
      const row = { ...written, agentId: agent.id, updatedAt };
      const id = known ?? newId<'draft'>();
      await store.write(async (tx) => {
        if (known !== undefined) {
          await requireDraft(tx.db, of, known, keptAt);
          await updateDraft(tx, known, row);
          return;
        }
        if ((await countDrafts(tx.db, of)) >= MAX_DRAFTS) throw new ApiError('draft_limit_reached');
        await insertDraft(tx, { id, ...of, ...row, kind, messageId: messageId ?? null });
      });
      return { draft_id: id, updated_at: isoTime(updatedAt) };
    },

    discard: async (caller, { draft_id: id }) =>
      store.write(async (tx) => {
        const draft = await findDraft(tx.db, ownerOf(caller), id);
        if (draft) await deleteDraft(tx, id);
        return { discarded: draft !== null };
      }),

    attach: async (caller, { draft_id: id, filename, content_type: contentType, content_base64: base64 }) => {
      const of = ownerOf(caller);
      const content = Buffer.from(base64, 'base64');
      return store.write(async (tx) => {
        const { id: draftId } = await requireDraft(tx.db, of, id);
        const files = await listDraftFiles(tx.db, draftId);
        const octets = files.reduce((sum, { size }) => sum + size, content.length);
        const ofAll = (await sumDraftFiles(tx.db, of)) + content.length;
        if (files.length >= MAX_FILES || octets > MAX_ATTACHMENT_BYTES || ofAll > MAX_OCTETS_OF_ALL) {
          throw new ApiError('draft_files_too_large');
        }
        const size = content.length;
        await insertDraftFile(tx, { id: newId<'draft-file'>(), draftId, filename, contentType, size, content });
        return viewFiles(tx.db, draftId);
      });
    },

    detach: async (caller, { draft_id: id, file_id: fileId }) =>
      store.write(async (tx) => {
        const draft = await requireDraft(tx.db, ownerOf(caller), id);
        if (!(await deleteDraftFile(tx, draft.id, fileId))) throw new ApiError('draft_file_not_found');
        return viewFiles(tx.db, draft.id);
      }),

    send: async (caller, input, call) => {
      const { draft_id: draftId, kept_at: keptAt, agent: name, kind, message_id: id, send_at: sendAt, ...mail } = input;
      const agent = await reachAgent(store.read, caller, name);
      await requireOriginal(store.read, agent, id);
      const draft = draftId === undefined ? null : await requireDraft(store.read, ownerOf(caller), draftId, keptAt);
      const files = draft ? await readDraftFiles(store.read, draft.id) : [];
      const attachments = files.map(({ filename, contentType, content }) => ({
        filename,
        content_type: contentType,
        content_base64: Buffer.from(content).toString('base64'),
      }));
      const { workspaceId, handle: subject } = agent;
      let recorded: Recorded<SendResult> | null = null;
      // The transaction that accepts the mail records its writer, and deletes the draft.
      const asAgent = {
        ...call,
        recordAnswer: async (tx: Parameters<typeof call.record>[0], _status: number, body: unknown) => {
          const result = body as SendResult;
          const { status, messageId = null, pendingId = null, scheduled_id = null } = result;
          const detail = { status, message_id: messageId, pending_id: pendingId, scheduled_id };
          if (draft) await endSentDraft(tx as Tx, draft.id, files);
          recorded = await call.record(tx, { workspaceId, subject, detail }, result);
        },
      };
      const sender = asSender(agent, caller);
      const terms = { attachments, undo_seconds: 0, dry_run: false };
      const result =
        kind === 'forward' && id !== undefined
          ? await sending.forward(sender, { ...mail, ...terms, id, mode: 'inline', sendAt }, asAgent)
          : await sending.send(
              sender,
              { ...mail, ...terms, track_opens: false, reply_to_message_id: id, send_at: sendAt },
              asAgent,
            );
      return recorded ?? call.unchanged(result as SendResult);
    },
  };
};
