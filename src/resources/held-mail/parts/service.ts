/** Reads the parts of held mail from its bytes. */

import { isWithinReach } from '../../../access/reach.ts';
import type { OwnerCaller } from '../../../kernel/caller.ts';
import { ApiError, requireFound } from '../../../kernel/errors.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { parseId } from '../../../kernel/ids.ts';
import { findHeldMail, findHeldSend } from '../../../store/sending/held-sends.ts';
import { readOrRefuse } from '../../../workers/reading/read-or-null.ts';
import { readPreview } from '../../../workers/reading/read-preview.ts';
import { viewFrame, viewPreview } from '../../agent-mail/view.ts';
import type { Needs } from '../../needs.ts';
import type { heldPartsContract } from './contract.ts';

export const createHeldParts = ({ store, workers }: Needs<'store' | 'workers'>): Handlers<typeof heldPartsContract> => {
  /** Decided mail has no bytes any more: the sent mail is in its agent's mailbox. */
  const reach = async (caller: OwnerCaller, text: string) => {
    const id = parseId<'pending'>(text);
    const pending = id && (await findHeldSend(store.read, null, id));
    const held =
      pending && isWithinReach(caller, pending.workspaceId) ? await findHeldMail(store.read, pending.id) : null;
    if (!pending || !held) throw new ApiError('pending_not_found', { fields: { pending_id: text } });
    return { pending, mime: held.mime, by: { workspace: pending.workspaceId } };
  };

  const readFile = async (caller: OwnerCaller, pendingId: string, filename: string) => {
    const { pending, mime, by } = await reach(caller, pendingId);
    const names = pending.attachments.map((each) => each.filename);
    if (!names.includes(filename)) throw new ApiError('attachment_not_found', { fields: { attachments: names } });
    const [read] = await readOrRefuse(workers.run({ kind: 'attachments', mime, filenames: [filename] }, by));
    const { contentType, content } = requireFound(read, 'attachment_bytes_missing');
    return { contentType, filename, content, by };
  };

  return {
    html: async (caller, { pending_id, remote }) => {
      const { pending, mime, by } = await reach(caller, pending_id);
      const { html } = await readOrRefuse(workers.run({ kind: 'frame', mime, keepsRemote: remote }, by));
      return viewFrame(html, remote, pending.attachments);
    },

    links: async (caller, { pending_id }) => {
      const { mime, by } = await reach(caller, pending_id);
      const { hasHtml, links, more, isWhole } = await readOrRefuse(workers.run({ kind: 'links', mime }, by));
      return { has_html: hasHtml, links, more, is_whole: isWhole };
    },

    raw: async (caller, { pending_id }) => {
      const { pending, mime, by } = await reach(caller, pending_id);
      const content = await workers.run({ kind: 'raw', mime }, by);
      return { contentType: 'message/rfc822', filename: `${pending.id}.eml`, content };
    },

    attachment: async (caller, { pending_id, filename }) => {
      const { by: _, ...file } = await readFile(caller, pending_id, filename);
      return file;
    },

    preview: async (caller, { pending_id, filename }) => {
      const { by, ...file } = await readFile(caller, pending_id, filename);
      return viewPreview(await readPreview(workers, file, by));
    },
  };
};
