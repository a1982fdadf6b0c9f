/** A data file with one workspace and one agent, and mail put straight into it: for tests that need the store alone. */

import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { createEvents, type Events } from '../../src/events/publish-events.ts';
import type { Address, DomainName } from '../../src/kernel/address.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import {
  type AgentId,
  createIdSource,
  type MailboxId,
  type MessageId,
  type NewId,
  type ThreadId,
  type WorkspaceId,
} from '../../src/kernel/ids.ts';
import { insertAgent } from '../../src/store/accounts/agents.ts';
import { insertDomain } from '../../src/store/accounts/domains.ts';
import { insertWorkspace } from '../../src/store/accounts/workspaces.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { OpenOptions, Store } from '../../src/store/store.ts';
import { isPostgres, testLocation } from './postgres/test-location.ts';
import { storeMail } from './stored-mail.ts';

export interface StoredMail {
  from?: string;
  subject?: string;
  threadId?: ThreadId | null;
  direction?: 'in' | 'out';
}

export interface SmallStore {
  file: string;
  store: Store;
  events: Events;
  newId: NewId;
  workspaceId: WorkspaceId;
  agentId: AgentId;
  mailboxId: MailboxId;
  /** Stores a mail and publishes its event, in one transaction. */
  storeMail(mail?: StoredMail): Promise<{ id: MessageId; threadId: ThreadId }>;
}

const makeEmpty = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-empty-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'x.db');
  await (await openStore({ engine: 'sqlite', file }, { now: systemClock.now() })).close();
  return file;
};

let empty: Promise<string> | null = null;
/** Puts a data file with all tables and no rows there: the migrations of a new one take a tenth of a second. */
export const copyEmptyStore = async (file: string): Promise<void> => {
  if (isPostgres) return;
  empty ??= makeEmpty();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  copyFileSync(await empty, file);
};

/** An empty store in a folder of its own: in memory, where the runner has the data of tests there. */
export const openTestStore = async (t: Test, options: OpenOptions): Promise<{ file: string; store: Store }> => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-store-'));
  const file = join(folder, 'x.db');
  await copyEmptyStore(file);
  const store = await openStore(await testLocation(file), options);
  t.teardown(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { file, store };
};

export const openSmallStore = async (
  t: Test,
  clock: Clock = systemClock,
  options: Pick<OpenOptions, 'onQuery' | 'repeatEvery'> = { repeatEvery: 2 },
): Promise<SmallStore> => {
  const { file, store } = await openTestStore(t, { ...options, now: clock.now() });
  const newId = createIdSource(clock, randomBytes);
  const events = createEvents(clock, randomBytes, (fault) => t.fail(String(fault)));
  const [workspaceId, domainId, mailboxId] = [newId<'workspace'>(), newId<'domain'>(), newId<'mailbox'>()];
  const agentId = newId<'agent'>();
  const createdAt = clock.now();
  await store.write(async (tx) => {
    await insertWorkspace(tx, {
      id: workspaceId,
      name: 'W',
      slug: 'w',
      ownerEmail: 'o@remote.test',
      plan: 'unlimited',
      verifiedAt: createdAt,
      createdAt,
      hidden: false,
      tier: 'standard',
    });
    const domain = {
      id: domainId,
      workspaceId,
      name: 'w.box.test' as DomainName,
      kind: 'subdomain',
      status: 'verified',
    } as const;
    await insertDomain(tx, { ...domain, verifiedAt: createdAt, lastCheckedAt: null, createdAt }, []);
    await insertAgent(tx, {
      id: agentId,
      workspaceId,
      handle: 'ann',
      displayName: null,
      description: null,
      filterMode: 'blacklist',
      hold: false,
      guard: false,
      mailboxId,
      domainId,
      address: 'ann@w.box.test' as Address,
      status: 'active',
      createdAt,
    });
  });

  const storeOne: SmallStore['storeMail'] = (mail = {}) =>
    store.write(async (tx) => {
      const { id, threadId } = await storeMail(tx, newId, mailboxId, mail, clock.now());
      if (mail.direction !== 'out') {
        const { from = 'Carol <carol@remote.test>', subject = 'A question' } = mail;
        const data = { message_id: id, thread_id: threadId, mailbox: 'ann@w.box.test', from };
        await events.publish(tx, {
          name: 'message.received',
          workspaceId,
          mailboxId,
          data: { ...data, subject, snippet: '', spam_verdict: 'PASS' },
        });
      }
      return { id, threadId };
    });
  return { file, store, events, newId, workspaceId, agentId, mailboxId, storeMail: storeOne };
};
