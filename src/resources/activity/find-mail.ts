import { parseId } from '../../kernel/ids.ts';
import { findAgentById, findAgentByMailbox } from '../../store/accounts/agents.ts';
import type { ActivityRow } from '../../store/activity/activity-log.ts';
import { findMessageHead } from '../../store/mail/message-summaries.ts';
import { findHeldSend } from '../../store/sending/held-sends.ts';
import type { Db } from '../../store/store.ts';
import type { ActView } from './contract.ts';

const idIn = <K extends 'message' | 'pending'>(detail: unknown, name: string) => {
  const value = typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>)[name] : null;
  return typeof value === 'string' ? parseId<K>(value) : null;
};

/** Null for an act without mail, and for mail that is gone. */
export const findActMail = async (db: Db, { workspaceId, action, detail }: ActivityRow): Promise<ActView['mail']> => {
  if (!workspaceId || !/^(?:message|pending)\./.test(action)) return null;
  const facts: unknown = JSON.parse(detail);
  const pendingId = idIn<'pending'>(facts, 'pending_id');
  const held = pendingId && (await findHeldSend(db, null, pendingId));
  if (held) {
    if (held.workspaceId !== workspaceId) return null;
    const agent = await findAgentById(db, held.agentId);
    return { subject: held.subject, agent: agent?.handle ?? null, thread_id: null, note: held.decisionNote };
  }
  const messageId = idIn<'message'>(facts, 'message_id');
  const message = messageId && (await findMessageHead(db, messageId));
  const agent = message && (await findAgentByMailbox(db, message.mailboxId));
  if (!message || agent?.workspaceId !== workspaceId) return null;
  return { subject: message.subject, agent: agent.handle, thread_id: message.threadId, note: null };
};
