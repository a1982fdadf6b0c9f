/** A row of a webhook of a whole workspace, for tests of the store and of what reads it. */

import { randomBytes } from 'node:crypto';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource, type WorkspaceId } from '../../../src/kernel/ids.ts';
import type { Webhook } from '../../../src/store/events/webhooks.ts';

const newId = createIdSource(systemClock, randomBytes);

export const webhookRow = (workspaceId: WorkspaceId, at: number, given: Partial<Webhook> = {}): Webhook => ({
  id: newId<'webhook'>(),
  workspaceId,
  mailboxId: null,
  madeBy: null,
  madeByGrant: null,
  url: 'https://receiver.test/',
  events: ['message.received'],
  sealedSecrets: randomBytes(1),
  headerNames: [],
  sealedHeaders: null,
  template: null,
  active: true,
  disabledReason: null,
  withheld: null,
  failureCount: 0,
  deferredUntil: null,
  createdAt: at,
  updatedAt: at,
  ...given,
});
