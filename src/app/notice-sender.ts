/**
 * Mails a notice from an agent of the instance through the send gate; joins notices/ to outbound/, which are siblings.
 */

import type { NamedAddress } from '../kernel/address.ts';
import type { AgentId } from '../kernel/ids.ts';
import type { NoticeMail, SendNotice } from '../notices/notices.ts';
import type { SendMail } from '../outbound/gate/send-request.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

export interface NoticeSenderNeeds {
  send: SendMail;
  workers: WorkerPool;
  agents: Record<NoticeMail['sender'], AgentId>;
  /** The author of notices and claims, so that all links of the service come from one address. */
  from: NamedAddress;
}

export const createNoticeSender =
  ({ send, workers, agents, from }: NoticeSenderNeeds): SendNotice =>
  async ({ sender, to, subject, body, attachedMime }, inTransaction) => {
    const attached = attachedMime && Buffer.from(await workers.run({ kind: 'raw', mime: attachedMime }));
    const attachments = attached ? [{ filename: 'mail.eml', contentType: 'message/rfc822', content: attached }] : [];
    const content = { kind: 'compose' as const, subject, body, attachments, trackOpens: false, automatic: true };
    const own = sender === 'role-mail' ? content : { ...content, from };
    await send({ agentId: agents[sender], via: 'daemon', to: [to], cc: [], content: own, parent: null, inTransaction });
  };
