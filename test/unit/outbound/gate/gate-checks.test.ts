import { readFileSync } from 'node:fs';
import t from 'tap';
import { findPlan, parsePlans } from '../../../../src/config/plans.ts';
import type { Send, Sender } from '../../../../src/outbound/gate/gate-check.ts';
import { checkSend } from '../../../../src/outbound/gate/gate-checks.ts';
import type { Db } from '../../../../src/store/store.ts';
import { openSmallStore, type SmallStore } from '../../../harness/small-store.ts';

const file = new URL('../../../../config/plans.toml', import.meta.url);
const plans = parsePlans(readFileSync(file, 'utf8'), file.pathname);
const NOW = Date.UTC(2026, 0, 1);

type Change = { [K in keyof Sender]?: Partial<Sender[K]> };
type Ids = Pick<SmallStore, 'workspaceId' | 'agentId' | 'mailboxId'>;

/** A sender that nothing is wrong with, but for what a test changes. */
const senderOf = ({ workspaceId, agentId, mailboxId }: Ids, change: Change): Sender => ({
  agent: { id: agentId, mailboxId, status: 'active', ...change.agent } as Sender['agent'],
  mailbox: { receiveOnly: false, expiresAt: null, ...change.mailbox },
  workspace: { id: workspaceId, verifiedAt: NOW, sendingState: 'normal', ...change.workspace } as Sender['workspace'],
  domain: { kind: 'subdomain', status: 'pending', ...change.domain } as Sender['domain'],
  plan: findPlan(plans, 'free'),
});

const reasonIn = async (db: Db, by: Sender | null): Promise<string> => {
  const send: Send = {
    sender: by,
    recipients: [],
    attachmentBytes: 0,
    parent: 'missing',
    sendClass: 'cold',
    bodyHash: null,
    secrets: [],
    plans,
    isLocalOnly: false,
    now: NOW,
  };
  return (await checkSend(send, db, 'hold'))?.reason ?? 'none';
};

t.test('states that may not send, in the order of the interface', async (t) => {
  const { store, ...ids } = await openSmallStore(t);
  const reasonOf = (by: Sender | null) => reasonIn(store.read, by);
  const sender = (change: Change = {}) => senderOf(ids, change);
  t.equal(await reasonOf(null), 'mailbox_not_found');
  const everything = {
    mailbox: { receiveOnly: true, expiresAt: NOW },
    agent: { status: 'suspended' as const },
    workspace: { verifiedAt: null, sendingState: 'paused' as const },
    domain: { kind: 'custom' as const },
  };
  const { mailbox, agent, workspace, domain } = everything;
  t.equal(await reasonOf(sender(everything)), 'mailbox_expired');
  t.equal(
    await reasonOf(sender({ ...everything, mailbox: { ...mailbox, expiresAt: NOW + 1 } })),
    'mailbox_receive_only',
  );
  t.equal(await reasonOf(sender({ agent, workspace, domain })), 'mailbox_inactive');
  t.equal(await reasonOf(sender({ workspace, domain })), 'sending_locked_verify_email');
  t.equal(await reasonOf(sender({ workspace: { sendingState: 'paused' }, domain })), 'workspace_paused');
  t.equal(await reasonOf(sender({ domain })), 'domain_not_verified');
  t.equal(await reasonOf(sender({ domain: { ...domain, status: 'verified' } })), 'reply_target_not_found');
  t.equal(await reasonOf(sender()), 'reply_target_not_found', 'the subdomain sends at once');
});
