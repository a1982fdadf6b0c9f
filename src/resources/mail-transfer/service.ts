/** Export and import of an agent's mail. */

import { reachAgent } from '../../access/reach.ts';
import { createImport, type ImportNeeds } from '../../inbound/import-mail.ts';
import { addressKey } from '../../kernel/address.ts';
import type { OperatorCaller } from '../../kernel/caller.ts';
import { encodeCursor } from '../../kernel/cursor.ts';
import type { Handlers, Recorded, RecordingCall } from '../../kernel/handlers.ts';
import type { ActivityDetail } from '../../kernel/operation.ts';
import { byCreationTime } from '../../kernel/page.ts';
import { listAddresses } from '../../store/accounts/recipient-lookup.ts';
import { listMessagesAfter, type StoredMessage } from '../../store/mail/messages.ts';
import { findRawMessage } from '../../store/mail/raw-messages.ts';
import { listDeliveriesOf } from '../../store/sending/deliveries.ts';
import type { mailTransferContract } from './contract.ts';

/** Mails of one page, and the compressed octets after which it ends. */
const MAILS_OF_PAGE = 50;
const OCTETS_OF_PAGE = 4 * 1024 * 1024;

type ExportedMail = Awaited<ReturnType<Handlers<typeof mailTransferContract>['exportPage']>>['mails'][number];

export const createMailTransfer = (needs: ImportNeeds): Handlers<typeof mailTransferContract> => {
  const { store } = needs;
  const importMails = createImport(needs);

  const toExported = async ({ id, direction, from, createdAt, rawId }: StoredMessage): Promise<ExportedMail> => {
    const stored = await findRawMessage(store.read, rawId);
    // Empty octets mean that the row never had its bytes.
    const mime = stored && stored.mime.length > 0 ? stored.mime : null;
    return { id, direction, from: from.address, at: createdAt, mime };
  };

  /** Those of Bcc stand in the deliveries alone. */
  const names = async ({ id, direction, from, to, cc, replyTo }: StoredMessage, key: string): Promise<boolean> => {
    if ([from, ...to, ...cc, ...replyTo].some(({ address }) => addressKey(address) === key)) return true;
    if (direction === 'in') return false;
    return (await listDeliveriesOf(store.read, id)).some(({ address }) => addressKey(address) === key);
  };

  const recordCounts = async (
    caller: OperatorCaller,
    { agent: text, ...detail }: { agent: string } & ActivityDetail,
    call: RecordingCall,
  ): Promise<Recorded<{ agent: string }>> => {
    const { handle, workspaceId } = await reachAgent(store.read, caller, text);
    return store.write((tx) => call.record(tx, { workspaceId, subject: handle, detail }, { agent: handle }));
  };

  return {
    exportPage: async (
      caller,
      { agent, since = 0, until = Number.POSITIVE_INFINITY, direction, cursor, with: other },
    ) => {
      const { mailboxId, handle } = await reachAgent(store.read, caller, agent);
      const after = cursor === undefined ? since - 1 : byCreationTime.read(cursor);
      const rows = await listMessagesAfter(store.read, mailboxId, after, MAILS_OF_PAGE);
      const mails: ExportedMail[] = [];
      let size = 0;
      let last: StoredMessage | undefined;
      for (const row of rows) {
        if (row.createdAt >= until) return { agent: handle, mails, next_cursor: null };
        if (size > OCTETS_OF_PAGE) break;
        last = row;
        if (direction !== undefined && row.direction !== direction) continue;
        if (other !== undefined && !(await names(row, addressKey(other.address)))) continue;
        const mail = await toExported(row);
        mails.push(mail);
        size += mail.mime?.length ?? 0;
      }
      const isMore = last !== undefined && (last !== rows.at(-1) || rows.length === MAILS_OF_PAGE);
      return { agent: handle, mails, next_cursor: last && isMore ? encodeCursor(...byCreationTime.write(last)) : null };
    },

    import: async (caller, { agent, mails, unread }) => {
      const { mailboxId, handle } = await reachAgent(store.read, caller, agent);
      const addresses = await listAddresses(store.read, mailboxId);
      return { agent: handle, results: await importMails({ mailboxId, addresses, unread }, mails) };
    },

    recordImport: recordCounts,
    recordExport: recordCounts,
  };
};
