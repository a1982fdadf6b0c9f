/** Reads an agent's mail for an owner, by the handlers that serve the agent. */

import { reachAgent } from '../../access/reach.ts';
import { toQuotaSubject } from '../../budget/quota-subject.ts';
import type { AgentCaller, OwnerCaller } from '../../kernel/caller.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { parseId } from '../../kernel/ids.ts';
import { HEADER_ONLY } from '../../mail/mime/defects.ts';
import { addMessageDefect, findMessage } from '../../store/mail/messages.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import { listSentBy } from '../../store/mail/thread-messages.ts';
import { readOrNull } from '../../workers/reading/read-or-null.ts';
import { readPreview } from '../../workers/reading/read-preview.ts';
import type { MessageDetail, ReadMessage, readOperations } from '../messages/read/contract.ts';
import type { Needs } from '../needs.ts';
import type { searchContract } from '../search/contract.ts';
import type { threadsContract } from '../threads/contract.ts';
import { asReader } from './as-reader.ts';
import type { agentMailContract } from './contract.ts';
import { viewFrame, viewPreview } from './view.ts';

export interface AgentMailNeeds extends Needs<'store' | 'workers'> {
  reading: { handlers: Handlers<typeof readOperations>; readMessage: ReadMessage };
  threads: Handlers<typeof threadsContract>;
  search: Handlers<typeof searchContract>;
}

export const createAgentMail = (needs: AgentMailNeeds): Handlers<typeof agentMailContract> => {
  const { store, workers, threads, search } = needs;
  const { handlers, readMessage } = needs.reading;

  const asAgent = async (owner: OwnerCaller, name: string): Promise<AgentCaller> =>
    asReader(await reachAgent(store.read, owner, name));

  /** @returns null where the mail ends its thread, by now or before */
  const frame = async ({ mailboxId, ...caller }: AgentCaller, id: MessageDetail['id'], keepsRemote: boolean) => {
    const messageId = parseId<'message'>(id);
    const message = mailboxId && messageId && (await findMessage(store.read, mailboxId, messageId));
    if (!message) throw new ApiError('message_not_found');
    const raw = requireFound(await findRawMessage(store.read, message.rawId), 'raw_message_unavailable');
    // A body that crashed a worker is not parsed again.
    if (message.defects.includes(HEADER_ONLY)) return null;
    const task = { kind: 'frame', mime: raw.mime, keepsRemote, folds: true } as const;
    const read = await readOrNull(workers.run(task, toQuotaSubject(caller)));
    if (!read) {
      await store.write((tx) => addMessageDefect(tx, message, HEADER_ONLY));
      return null;
    }
    const { html, remoteImages } = read;
    const framed = { html, remoteImages, attachments: message.attachments };
    const { openToken } = message;
    if (openToken === null || html === null) return framed;
    // The open pixel of sent mail: loaded here, it would count its reader as a recipient.
    const pixel = new RegExp(`<img[^>]*/o/${openToken}\\.gif"[^>]*>`);
    return { ...framed, html: html.replace(pixel, ''), remoteImages: remoteImages - 1 };
  };

  const split = async (caller: AgentCaller, { text, defects }: MessageDetail) => {
    const task = { kind: 'split-reply', text } as const;
    const parts = defects.includes(HEADER_ONLY) ? null : await readOrNull(workers.run(task, toQuotaSubject(caller)));
    return parts ?? { own: text, quoted: '', signature: '' };
  };

  return {
    thread: async (owner, { agent, ...input }, call) => {
      const thread = await threads.get(await asAgent(owner, agent), input, call);
      const ids = thread.messages.flatMap(({ id }) => parseId<'message'>(id) ?? []);
      const sentBy = new Map<string, string>(await listSentBy(store.read, ids));
      const messages = thread.messages.map((message) => ({ ...message, sent_by: sentBy.get(message.id) ?? null }));
      return { ...thread, messages };
    },
    search: async (owner, { agent, ...input }, call) => search.search(await asAgent(owner, agent), input, call),

    message: async (owner, { agent, mark_read: marksRead, ...input }) => {
      const caller = await asAgent(owner, agent);
      const message = await readMessage(caller, input, marksRead);
      const [framed, folds] = await Promise.all([
        message.html === null ? { remoteImages: 0 } : frame(caller, message.id, false),
        split(caller, message),
      ]);
      // It is marked by now, and read again without its HTML.
      const shown = framed ? message : await readMessage(caller, input, marksRead);
      return { ...shown, folds, remote_images: framed?.remoteImages ?? 0 };
    },

    html: async (owner, { agent, id, remote }) => {
      const framed = await frame(await asAgent(owner, agent), id, remote);
      const { html, attachments } = requireFound(framed, 'message_unreadable');
      return viewFrame(html, remote, attachments);
    },

    raw: async (owner, { agent, ...input }, call) => handlers.raw(await asAgent(owner, agent), input, call),
    attachment: async (owner, { agent, ...input }, call) =>
      handlers.attachment(await asAgent(owner, agent), { ...input, as: 'base64', offset: 0 }, call),
    preview: async (owner, { agent, ...input }, call) => {
      const caller = await asAgent(owner, agent);
      const file = await handlers.attachment(caller, { ...input, as: 'base64', offset: 0 }, call);
      return viewPreview(await readPreview(workers, file, toQuotaSubject(caller)));
    },
    flag: async (owner, { agent, ...input }, call) => handlers.archive(await asAgent(owner, agent), input, call),
  };
};
