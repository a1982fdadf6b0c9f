/** A workspace with one of everything that a person's operation can name. */

import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createDispatch } from '../../../../src/access/dispatch.ts';
import { createIdempotency } from '../../../../src/access/idempotency.ts';
import { createOwnerSessions } from '../../../../src/access/owner-sessions.ts';
import { createActivityLog } from '../../../../src/activity/activity-log.ts';
import { createWorkUnderWay } from '../../../../src/budget/work-under-way.ts';
import { parsePlans } from '../../../../src/config/plans.ts';
import { createDomainChecks } from '../../../../src/domains/check/domain-checks.ts';
import { createEvents } from '../../../../src/events/publish-events.ts';
import type { Address, DomainName } from '../../../../src/kernel/address.ts';
import type { Caller } from '../../../../src/kernel/caller.ts';
import { DAY, systemClock } from '../../../../src/kernel/clock.ts';
import {
  createIdSource,
  type PageId,
  type PendingId,
  type SourceId,
  type WorkspaceId,
} from '../../../../src/kernel/ids.ts';
import type { Operation } from '../../../../src/kernel/operation.ts';
import { mailDate } from '../../../../src/mail/header/trace-fields.ts';
import { createRecursiveLookup } from '../../../../src/net/dns/fresh-lookup.ts';
import { createBudgetedQueries } from '../../../../src/net/dns/query-budget.ts';
import { createHeldDecisions } from '../../../../src/outbound/gate/decide-held.ts';
import { createEditHeld } from '../../../../src/outbound/gate/edit-held.ts';
import type { PreparedFields } from '../../../../src/outbound/gate/prepare-message.ts';
import { addAgent } from '../../../../src/resources/agents/add-agent.ts';
import { addKey } from '../../../../src/resources/agents/keys/add-key.ts';
import { contracts } from '../../../../src/resources/contracts.ts';
import { bindOperations } from '../../../../src/resources/index.ts';
import { writeKeyFile } from '../../../../src/seal/key-file.ts';
import type { Agent } from '../../../../src/store/accounts/agents.ts';
import { insertDomain } from '../../../../src/store/accounts/domains.ts';
import { insertRule } from '../../../../src/store/accounts/rules.ts';
import { insertWorkspace } from '../../../../src/store/accounts/workspaces.ts';
import { insertWebhook } from '../../../../src/store/events/webhooks.ts';
import { insertPage } from '../../../../src/store/knowledge/pages.ts';
import { findSource } from '../../../../src/store/knowledge/sources.ts';
import { insertGrant as insertConnection } from '../../../../src/store/oauth/oauth-grants.ts';
import { addWorkspaceOwner, ensureOwner } from '../../../../src/store/owners/owners.ts';
import { listQueue } from '../../../../src/store/sending/delivery-queue.ts';
import { insertHeldSend } from '../../../../src/store/sending/held-sends.ts';
import { insertSuppression } from '../../../../src/store/sending/suppressions.ts';
import { insertGrant } from '../../../../src/store/vault/secret-grants.ts';
import { countSecrets, insertSecret } from '../../../../src/store/vault/secrets.ts';
import { createLeakGuard } from '../../../../src/vault/leak-guard.ts';
import { createVault } from '../../../../src/vault/vault.ts';
import { openVaultKeys } from '../../../../src/vault/vault-keys.ts';
import { createWebhookSeal } from '../../../../src/webhooks/secrets.ts';
import { compress } from '../../../../src/workers/compression.ts';
import { readInThisThread } from '../../../../src/workers/contact-tasks.ts';
import { readImported } from '../../../../src/workers/import-message.ts';
import { editHeld } from '../../../../src/workers/outgoing/edit-held.ts';
import { openTestStore } from '../../../harness/small-store.ts';

export interface Tenant {
  workspaceId: WorkspaceId;
  /** By the name of an input field: the value that names a thing of this workspace. */
  targets: Readonly<Record<string, string | readonly string[]>>;
}

export interface Persons {
  addTenant(): Promise<Tenant>;
  /** Gives a workspace as many secrets as it may have. */
  fillVault(id: WorkspaceId): Promise<void>;
  call(operation: Operation, caller: Caller, input: object): Promise<unknown>;
}

const BOX = { name: 'first', since: 0, silentMs: 0, version: '0.1.0', address: null };
const listBoxes = async () => (['leading', 'serving'] as const).map((state) => ({ ...BOX, state }));

export const openPersons = async (t: Test): Promise<Persons> => {
  const clock = systemClock;
  const random = randomBytes;
  const { store } = await openTestStore(t, { now: clock.now() });
  const newId = createIdSource(clock, random);
  const plans = parsePlans(
    readFileSync(new URL('../../../../config/plans.toml', import.meta.url), 'utf8'),
    'plans.toml',
  );
  const events = createEvents(clock, random, (fault) => t.fail(String(fault)));
  const activityKey = createSecretKey(randomBytes(32));
  const activity = createActivityLog({ clock, newId }, activityKey);
  const review = createHeldDecisions({
    store,
    events,
    mailLog: { record: () => {} },
    plans,
    isLocalOnly: false,
    activity,
    clock,
    newId,
    queue: { lease: () => null, take: () => {}, wake: () => {} },
    undoMs: 0,
    onError: (error) => t.fail(String(error)),
  });
  const vaultKeyFile = join(t.testdir(), 'vault.key');
  writeKeyFile(vaultKeyFile);
  const file = { path: vaultKeyFile, isCredential: false };
  const keys = await openVaultKeys({ store, clock, file, resealLegacy: async () => true });
  const vault = createVault({ keys, leakGuard: createLeakGuard(keys), clock, newId });
  // Without a resolver every look-up fails.
  const startLookups = () => ({
    lookup: createRecursiveLookup(createBudgetedQueries({ totalMs: 1_000, maxQueries: 100, parallel: 8 }), []),
    resolveSpf: () => Promise.reject(new Error('no resolver')),
    faults: () => [],
  });
  const sealingKey = randomBytes(32);
  const checks = createDomainChecks({
    queue: { run: (_occupant, work) => work() },
    ...{ store, events, clock, random, hostname: 'mx.box.test', startLookups, vaultKey: sealingKey },
    offersTls: false,
    spfIncludes: [],
    delegatedZone: null,
    sourceAddresses: [],
    ...{ notifyFailing: async () => {}, notifyVerified: async () => {} },
  });
  const bound = bindOperations(['operator'], {
    ...{ store, clock, newId, plans, events, review, activityKey, underWay: createWorkUnderWay(clock, tmpdir()) },
    ...{ vault, random, checks, vaultKeyFile, vaultKey: sealingKey, baseDomain: 'agents.box.test' },
    ...{ hostname: 'mx.box.test', offersTls: false, spfIncludes: [], publicUrl: 'https://mx.box.test', readImported },
    ...{ workers: readInThisThread, boxes: { boxes: listBoxes, handOver: async () => {} }, operatorAddress: null },
    editHeld: createEditHeld({
      ...{ store, publicUrl: 'https://mx.box.test', workers: { run: editHeld } },
      findLeakIndex: async () => ({ kind: 'none' as const }),
    }),
    ownerSessions: createOwnerSessions(store, clock),
    findAddresses: async () => ({ kind: 'unknown' as const, reason: 'no resolver' }),
    ...{ toQueryVector: async () => null, wakeIndexer: () => {}, wakeSender: () => {} },
    requireNoSecret: async () => {},
    webhooks: {
      posting: { clock, seal: createWebhookSeal(sealingKey), request: () => Promise.reject(new Error('no network')) },
      dispatcher: { wake: () => {} },
    },
    onError: (error) => t.fail(String(error)),
    searches: { run: (_occupant, work) => work() },
  });
  const dispatch = createDispatch({ read: store.read, idempotency: createIdempotency(store, clock), activity });
  let count = 0;
  const answer: Persons['call'] = async (operation, caller, input) => {
    const found = bound.find((each) => each.operation === operation);
    if (!found) throw new Error(operation.name);
    return (await dispatch(found, { caller, input, idempotencyKey: null, via: 'CLI' })).body;
  };

  /** Holds a mail of the agent's to `carol@remote.test`. */
  const holdMail = async ({ id: agentId, mailboxId, workspaceId, address }: Agent): Promise<PendingId> => {
    const id = newId<'pending'>();
    const now = clock.now();
    const to = [{ name: null, address: 'carol@remote.test' as Address }];
    const mail = { to, cc: [], bcc: [], replyTo: [], subject: 'Offer', snippet: '', attachments: [] };
    const outgoing: PreparedFields = {
      ...{ messageId: newId<'message'>(), rfcMessageId: `<${id}@box.test>`, inReplyTo: null, references: [] },
      ...{ ...mail, from: { name: null, address }, text: 'An offer.', threadId: null, openToken: null, bodyHash: '' },
    };
    const mime = Buffer.from(
      `From: ${address}\r\nTo: carol@remote.test\r\nDate: ${mailDate(now)}\r\nMessage-ID: <${id}@box.test>\r\n\r\nAn offer.\r\n`,
    );
    const held = { id, agentId, mailboxId, workspaceId, reason: 'agent_on_hold', sendClass: 'cold' } as const;
    const rest = { htmlText: null, secrets: [], notGranted: false, sentBy: null };
    const row = { ...held, ...mail, ...rest, createdAt: now, expiresAt: now + DAY };
    const kept = { outgoing: JSON.stringify(outgoing), mime: compress(mime), size: mime.length };
    await store.write((tx) => insertHeldSend(tx, row, kept));
    return id;
  };

  /** As a crawl would. */
  const addPage = async (workspaceId: WorkspaceId, sourceId: SourceId): Promise<PageId> => {
    const id = newId<'page'>();
    const source = await findSource(store.read, workspaceId, sourceId);
    if (!source) throw new Error('The source is gone.');
    const empty = { summary: '', headings: [], links: [], etag: null, lastModified: null, fetchedAt: clock.now() };
    const page = { ...empty, id, workspaceId, sourceSeq: source.seq, url: null, title: 'A page', text: 'A text.' };
    await store.write((tx) => insertPage(tx, { ...page, url: 'https://site.test/', revision: 1, round: 1 }));
    return id;
  };
  const addTenant = async (): Promise<Tenant> => {
    count += 1;
    const slug = `w${count}`;
    const now = clock.now();
    const needs = { clock, newId };
    const workspace = { id: newId<'workspace'>(), name: slug, slug, ownerEmail: 'o@remote.test', plan: 'unlimited' };
    const domain = {
      ...{ id: newId<'domain'>(), workspaceId: workspace.id, name: `${slug}.agents.box.test` as DomainName },
      ...{ kind: 'subdomain' as const, status: 'verified' as const },
      ...{ verifiedAt: now, lastCheckedAt: null, createdAt: now },
      ...{ ownershipToken: null, failingSince: null, checkResult: null, receives: true },
    };
    const custom = `${slug}.example` as DomainName;
    await store.write(async (tx) => {
      await insertWorkspace(tx, { ...workspace, verifiedAt: now, createdAt: now, hidden: false, tier: 'standard' });
      await insertDomain(tx, domain, []);
      await insertDomain(tx, { ...domain, id: newId<'domain'>(), name: custom, kind: 'custom' }, []);
    });
    const email = `owner-${count}@remote.test` as Address;
    const ownerId = await store.write(async (tx) => {
      const first = { id: newId<'owner'>(), email: `first-${count}@remote.test` as Address };
      for (const each of [first, { id: newId<'owner'>(), email }]) {
        const owner = await ensureOwner(tx, { ...each, verifiedAt: null, createdAt: now });
        await addWorkspaceOwner(tx, workspace.id, owner.id, now);
      }
      return first.id;
    });
    const wanted = { workspace, domain, handle: `agent-${count}`, displayName: null, description: null, hold: false };
    const agent = await store.write((tx) => addAgent(needs, tx, wanted));
    const key = await store.write(async (tx) => {
      await activity.recordOwn(tx, 'agent.add', { workspaceId: workspace.id, subject: agent.handle });
      return addKey(needs, tx, { agentId: agent.id, name: 'k', scopes: null, reach: 'own', expiresAt: null });
    });
    const value = { key: 'a value of a tenant' };
    const secret = await store.write((tx) =>
      vault.add(tx, { workspaceId: workspace.id, name: `secret-${count}`, type: 'api_key', tags: [], value }),
    );
    await store.write((tx) => insertGrant(tx, agent.id, secret.id, now));
    const connectionId = newId<'grant'>();
    await store.write((tx) =>
      insertConnection(tx, {
        ...{ id: connectionId, ownerId, clientId: 'client', clientName: 'Client', redirectHost: 'client.example' },
        ...{ scopes: ['mail:read'], reach: 'own', isOffline: true, agents: [agent.id] },
        ...{ createdAt: now, lastUsedAt: null, expiresAt: now + DAY },
      }),
    );
    const rule = { id: newId<'rule'>(), match: 'domain', value: 'x.test', action: 'block', byPerson: true } as const;
    const webhookId = newId<'webhook'>();
    const suppressed = `s${count}@remote.test` as Address;
    await store.write(async (tx) => {
      await insertWebhook(tx, {
        ...{ id: webhookId, workspaceId: workspace.id, mailboxId: null, madeBy: agent.id, madeByGrant: null },
        ...{ url: `https://hooks-${count}.test/`, events: ['message.sent'], sealedSecrets: Buffer.alloc(1) },
        ...{ headerNames: [], sealedHeaders: null, template: null, withheld: null },
        ...{ active: true, disabledReason: null, failureCount: 0, createdAt: now, updatedAt: now },
      });
      await insertRule(tx, agent.id, rule, now);
      const entry = { address: suppressed, reason: 'manual', bounceType: null, messageId: null, until: null } as const;
      await insertSuppression(tx, workspace.id, { ...entry, createdAt: now });
    });
    const operator = { kind: 'operator', name: 'cli:test' } as const;
    const call = (operation: Operation, input: object) =>
      answer(operation, operator, { ...input, workspace: slug }) as Promise<{ id: string }>;
    const same = { given_name: 'Ann', channels: [{ kind: 'email', value: `c${count}@remote.test` }] };
    const { contacts, contactLists, notes, knowledge } = contracts;
    const contact = await call(contacts.create, same);
    const other = await call(contacts.create, same);
    const list = await call(contactLists.create, { name: 'Friends' });
    const note = await call(notes.create, { body: 'A note.' });
    const source = await call(knowledge.add, { kind: 'text', body: 'A text.' });
    const pageId = await addPage(workspace.id, source.id as SourceId);
    const pendingId = await holdMail(agent);
    const held = await answer(contracts.heldMail.get, operator, { pending_id: pendingId });
    await review.approve(await holdMail(agent), 'test', null, async () => null);
    const [delivery] = await listQueue(store.read, workspace.id, 1);
    if (!delivery) throw new Error('What was approved is not in the queue.');
    return {
      workspaceId: workspace.id,
      targets: {
        workspace: slug,
        email,
        agent: agent.handle,
        domain: custom,
        key_id: key.id,
        connection_id: connectionId,
        pending_id: pendingId,
        digest: (held as { digest: string }).digest,
        delivery_id: delivery.id,
        webhook_id: webhookId,
        rule_id: rule.id,
        address: suppressed,
        secret: secret.name,
        ...{ contact_id: contact.id, survivor_id: contact.id, loser_id: other.id, contact_ids: [contact.id] },
        ...{ list_id: list.id, note_id: note.id, source_id: source.id, page_id: pageId },
      },
    };
  };
  const fillVault = (workspaceId: WorkspaceId) =>
    store.write(async (tx) => {
      const now = clock.now();
      const rest = {
        workspaceId,
        type: 'other',
        tags: [],
        hasTotp: false,
        version: 1,
        sealed: Buffer.alloc(1),
      } as const;
      const version = { version: 1, mac: Buffer.alloc(32) };
      for (let at = await countSecrets(tx.db, workspaceId); at < 1_000; at += 1) {
        const secret = { ...rest, tags: [], id: newId<'secret'>(), name: `s ${at}`, nameKey: `s ${at}` };
        await insertSecret(tx, { ...secret, createdAt: now, updatedAt: now }, version);
      }
    });

  return { addTenant, fillVault, call: answer };
};
