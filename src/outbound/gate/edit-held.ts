/** Edits held mail before its release: subject, text, and recipients to leave out. It is composed anew. */

import type { QuotaSubject } from '../../budget/quota-subject.ts';
import { addressKey, type NamedAddress } from '../../kernel/address.ts';
import type { PendingId } from '../../kernel/ids.ts';
import {
  findHeldMail,
  findHeldSend,
  findOriginal,
  type HeldOriginal,
  replaceHeldMail,
} from '../../store/sending/held-sends.ts';
import type { Store } from '../../store/store.ts';
import type { EditedHeld, Task } from '../../workers/tasks.ts';
import type { DecisionResult, InDecision } from './decide-held.ts';
import { nameSecrets } from './hold.ts';
import { type PreparedFields, type PrepareNeeds, recipientsOf, toFoundSecrets } from './prepare-message.ts';
import { digestHeldMail } from './release-held.ts';

export interface EditNeeds extends Pick<PrepareNeeds, 'publicUrl' | 'findLeakIndex'> {
  store: Store;
  workers: { run(task: Task<'edit-held'>, quotaSubject: QuotaSubject): Promise<EditedHeld> };
}

export interface HeldEditInput {
  /** The digest of the mail as the owner was shown it. */
  digest: Uint8Array;
  subject?: string | undefined;
  /** Markdown; the HTML part is rendered from it. */
  text?: string | undefined;
  /** Recipients to leave out. */
  remove: readonly string[];
}

export type EditHeld = <T>(
  id: PendingId,
  edit: HeldEditInput,
  inTransaction: InDecision<T>,
) => Promise<DecisionResult<T> | { kind: 'changed' } | { kind: 'no-recipients' }>;

const toOriginal = (fields: PreparedFields): HeldOriginal => ({
  subject: fields.subject,
  text: fields.text,
  recipients: recipientsOf(fields).map(({ address }) => address),
});

export const createEditHeld =
  ({ store, workers, publicUrl, findLeakIndex }: EditNeeds): EditHeld =>
  async (id, { digest, subject, text, remove }, inTransaction) => {
    const before = await findHeldSend(store.read, null, id);
    const held = await findHeldMail(store.read, id);
    const shown = await digestHeldMail(held);
    if (!before) return { kind: 'not-found' };
    if (!held || !shown) return { kind: 'already', pending: before };
    if (Buffer.compare(shown, digest) !== 0) return { kind: 'changed' };

    const fields = JSON.parse(held.outgoing) as PreparedFields;
    const removed = new Set(remove.map((address) => address.toLowerCase()));
    const kept = (all: readonly NamedAddress[]): NamedAddress[] =>
      all.filter(({ address }) => !removed.has(addressKey(address)));
    const recipients = { to: kept(fields.to), cc: kept(fields.cc), bcc: kept(fields.bcc) };
    if (recipientsOf(recipients).length === 0) return { kind: 'no-recipients' };

    const leaks = await findLeakIndex(before.workspaceId);
    const leakIndex = leaks.kind === 'index' ? leaks.index : null;
    const pixelUrl = fields.openToken && `${publicUrl}/o/${fields.openToken}.gif`;
    const about = { text: text ?? fields.text, isNewText: text !== undefined, removed: [...removed] };
    const edit = { subject: subject ?? fields.subject, ...about };
    const original = (await findOriginal(store.read, id)) ?? toOriginal(fields);
    const left = recipientsOf(recipients).map(({ address }) => address);
    const task = { kind: 'edit-held', mime: held.mime, edit, pixelUrl, leakIndex, original, recipients: left } as const;
    const made = await workers.run(task, { workspace: before.workspaceId });
    const edited = {
      ...fields,
      ...recipients,
      subject: made.subject,
      snippet: made.snippet,
      text: made.text,
      attachments: made.attachments,
      bodyHash: made.bodyHash,
    };
    const secrets = leaks.kind === 'unavailable' ? 'unchecked' : toFoundSecrets(leaks, made.secretsFound);
    return store.write(async (tx) => {
      const pending = await findHeldSend(tx.db, null, id);
      if (!pending) return { kind: 'not-found' };
      if (pending.status !== 'pending' || pending.releaseAt !== null) return { kind: 'already', pending };
      if ((await findHeldMail(tx.db, id))?.outgoing !== held.outgoing) return { kind: 'changed' };
      const row = {
        ...recipients,
        original,
        subject: made.subject,
        snippet: made.snippet,
        attachments: made.attachments,
        htmlText: made.htmlText,
        secrets: await nameSecrets(tx.db, secrets),
        changes: made.changes,
      };
      await replaceHeldMail(tx, id, row, { outgoing: JSON.stringify(edited), mime: made.mime, size: made.size });
      const after = (await findHeldSend(tx.db, null, id)) ?? pending;
      return { kind: 'decided', value: await inTransaction(tx, after) };
    });
  };
