import { readFileSync } from 'node:fs';
import t from 'tap';
import { parsePlans } from '../../../../src/config/plans.ts';
import { DAY } from '../../../../src/kernel/clock.ts';
import { findNeeds } from '../../../../src/resources/home/find-needs.ts';
import { workspaces } from '../../../../src/store/accounts/accounts-mappings.ts';
import { updateDomain } from '../../../../src/store/accounts/domain-claims.ts';
import { listDomains } from '../../../../src/store/accounts/domains.ts';
import { findWorkspaceById, setSendingState } from '../../../../src/store/accounts/workspaces.ts';
import { insertWebhook } from '../../../../src/store/events/webhooks.ts';
import { updateRows } from '../../../../src/store/rows.ts';
import { addOutcomes } from '../../../../src/store/sending/outcomes.ts';
import type { Tx } from '../../../../src/store/store.ts';
import { webhookRow } from '../../../harness/http/webhook-row.ts';
import { openSmallStore } from '../../../harness/small-store.ts';

const file = new URL('../../../../config/plans.toml', import.meta.url);
const plans = parsePlans(readFileSync(file, 'utf8'), file.pathname);

const open = async (t: Parameters<typeof openSmallStore>[0]) => {
  const { store, workspaceId } = await openSmallStore(t);
  const now = Date.now();
  const needs = async (at = now) => {
    const workspace = await findWorkspaceById(store.read, workspaceId);
    if (!workspace) throw new Error('The small store has no workspace.');
    return findNeeds(store.read, plans, workspace, at);
  };
  return { store, workspaceId, now, needs };
};

t.test('each need has a key of its own, words, and a path; a webhook shows its host alone', async (t) => {
  const { store, workspaceId, now, needs } = await open(t);
  const [domain] = await listDomains(store.read, workspaceId);
  if (!domain) throw new Error('The small store has no domain.');
  const off = { url: 'https://hooks.test/secret-path?key=1', active: false, disabledReason: 'gone' } as const;
  await store.write(async (tx) => {
    await updateRows(tx, workspaces, { id: workspaceId }, { verifiedAt: null });
    await updateDomain(tx, domain.id, { status: 'failing', failingSince: now, checkResult: null });
    await insertWebhook(tx, webhookRow(workspaceId, now, off));
    await setSendingState(tx, workspaceId, 'throttled', 'owner', now);
  });
  const found = await needs();
  t.match(found.needs, [
    { kind: 'unverified', title: 'Nothing may be sent yet', body: /o@remote\.test is not verified/, path: '/people' },
    { kind: 'domain', title: 'w.box.test cannot send', body: /name servers/, path: '/domains/w.box.test' },
    { kind: 'webhook', body: 'hooks.test answered 410 Gone. Its events are held.', path: /^\/webhooks\// },
    { kind: 'throttled', body: /An owner paused it\. Cold mail/, path: '/health' },
  ]);
  t.equal(new Set(found.needs.map(({ key }) => key)).size, 4);
  t.notMatch(JSON.stringify(found), /secret-path|key=1/);
  t.same(found.held, []);
});

t.test('a pause is told with the figures that brought it about, also weeks later', async (t) => {
  const { store, workspaceId, now, needs } = await open(t);
  await store.write(async (tx) => {
    await addOutcomes(tx, workspaceId, now, { sent: 100, mails: 100, ended: 100, bounced: 12 });
    await setSendingState(tx, workspaceId, 'paused', 'bounce_rate', now);
  });
  t.match((await needs(now + 30 * DAY)).needs, [{ kind: 'paused', body: /^Bounces reached 12\.0 % within 7 days\./ }]);
});

t.test('what stops or slows sending is told with its cause, in figures', async (t) => {
  const causes: [(tx: Tx, id: Parameters<typeof setSendingState>[1], now: number) => Promise<void>, RegExp][] = [
    [(tx, id, now) => setSendingState(tx, id, 'paused', 'bounce_rate', now), /^Bounces reached 8\.0 %.*refused until/],
    [(tx, id, now) => setSendingState(tx, id, 'throttled', 'complaint_rate', now), /^Complaints reached 2\.00 %/],
    [(tx, id, now) => setSendingState(tx, id, 'paused', 'operator', now), /^The operator paused it/],
    [(tx, id, now) => setSendingState(tx, id, 'paused', 'looking', now), /^It was paused: looking\./],
    [async () => undefined, /^(?:Bounces|Complaints) reached .* The next bad outcome slows or stops it\.$/],
  ];
  for (const [cause, body] of causes) {
    await t.test(String(body), async (t) => {
      const { store, workspaceId, now, needs } = await open(t);
      await store.write(async (tx) => {
        await addOutcomes(tx, workspaceId, now, { sent: 100, mails: 100, ended: 100, bounced: 8, complained: 2 });
        await cause(tx, workspaceId, now);
      });
      t.match((await needs()).needs, [{ body }]);
    });
  }
});
