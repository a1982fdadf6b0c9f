/** What persons are told while away: push, and the digest. Joins Home's list of needs to notices/. */

import type { Config } from '../../config/config.ts';
import type { Log } from '../../kernel/log.ts';
import { readRetryAfter } from '../../net/http/retry-after.ts';
import { createPush } from '../../notices/push/push.ts';
import { findNeeds } from '../../resources/home/find-needs.ts';
import { sendDigests } from '../../resources/owners/told/digest.ts';
import { tellNeeds } from '../../resources/owners/told/tell-needs.ts';
import type { Workspace } from '../../store/accounts/workspaces.ts';
import { nextWebhookAttempt, RETAINED_FOR_MS } from '../../webhooks/webhook-retries.ts';
import { EVERY_MINUTE } from '../jobs.ts';
import type { Network } from '../network.ts';
import type { NoticesPart } from '../notices.ts';
import type { Part } from '../part.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';

export type Told = ReturnType<typeof createToldPart>;

export const createToldPart = (
  config: Config,
  log: Log,
  { store, plans, pushKey, runtime }: Storage,
  { request }: Pick<Network, 'request'>,
  { onError }: Processing,
  notices: Pick<NoticesPart, 'write'>,
) => {
  const { clock, random, fraction } = runtime;
  const push = createPush({
    store,
    clock,
    random,
    request,
    key: pushKey,
    nextAttempt: (attempts, { status, retryAfter }) => {
      const now = clock.now();
      const asked = readRetryAfter(status, retryAfter, now, RETAINED_FOR_MS);
      return nextWebhookAttempt(attempts, now, asked, fraction());
    },
    onGivenUp: (endpoint, reason) => log.warn({ host: new URL(endpoint).host, reason }, 'a push was given up'),
    onError,
  });
  const common = {
    store,
    clock,
    onError,
    findNeeds: (workspace: Workspace) => findNeeds(store.read, plans, workspace, clock.now()),
  };
  const digests = { ...common, publicUrl: config.public_url, writeNotice: notices.write };
  return {
    push,
    start: push.start,
    wake: push.wake,
    stop: push.stop,
    jobs: [
      { name: 'tell needs', pattern: EVERY_MINUTE, run: () => tellNeeds({ ...common, tellNeed: push.tellNeed }) },
      { name: 'send digests', pattern: EVERY_MINUTE, run: () => sendDigests(digests) },
    ],
  } satisfies Part & { push: unknown };
};
