/** What services are given: each has one name and one type. A service asks for the few that it uses. */

import type { OwnerSessions } from '../access/owner-sessions.ts';
import type { ActivityLog } from '../activity/activity-log.ts';
import type { ChainKey } from '../activity/chain.ts';
import type { FairQueue } from '../budget/fair-queue.ts';
import type { WorkUnderWay } from '../budget/work-under-way.ts';
import type { Plans } from '../config/plans.ts';
import type { DomainChecks } from '../domains/check/domain-checks.ts';
import type { EventFeed } from '../events/feed.ts';
import type { ListeningSlots } from '../events/listening-slots.ts';
import type { Events } from '../events/publish-events.ts';
import type { DecisionWaits } from '../events/wait-for-decision.ts';
import type { MailWaits } from '../events/wait-for-mail.ts';
import type { Address } from '../kernel/address.ts';
import type { Clock, RandomBytes } from '../kernel/clock.ts';
import type { AgentId, NewId } from '../kernel/ids.ts';
import type { CheckedAddresses } from '../net/http/checked-address.ts';
import type { Notices } from '../notices/notices.ts';
import type { Push } from '../notices/push/push.ts';
import type { DryRun } from '../outbound/dry-run/dry-run.ts';
import type { HeldDecisions } from '../outbound/gate/decide-held.ts';
import type { EditHeld } from '../outbound/gate/edit-held.ts';
import type { SendMail } from '../outbound/gate/send-request.ts';
import type { ScheduledDispatch } from '../outbound/scheduled/scheduled-dispatch.ts';
import type { DataFiles } from '../store/data-files.ts';
import type { QueryVector } from '../store/search/passages/passage-search.ts';
import type { Store } from '../store/store.ts';
import type { RequireNoSecret } from '../vault/require-no-secret.ts';
import type { Vault } from '../vault/vault.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

interface Given {
  store: Store;
  boxes: Pick<DataFiles, 'boxes' | 'handOver'>;
  clock: Clock;
  random: RandomBytes;
  newId: NewId;
  plans: Plans;
  publicUrl: string;
  baseDomain: string;
  hostname: string;
  /** The zone of the instance's own DNS server; null without that server. */
  servedZone: string | null;
  /** Null where the config names none. */
  operatorAddress: Address | null;
  /** Mails the test of the first steps. Null where nothing can be signed. */
  postmaster: AgentId | null;
  /** `outbound.local_only`: mail stays on this instance, links to owners too. */
  isLocalOnly: boolean;
  vault: Vault;
  vaultKeyFile: string;
  /** Null where the key file is missing: nothing is sealed, so no DKIM keys are made. */
  vaultKey: Buffer | null;
  requireNoSecret: RequireNoSecret;
  activity: ActivityLog;
  activityKey: ChainKey;
  ownerSessions: OwnerSessions;
  events: Events;
  feed: EventFeed;
  slots: ListeningSlots;
  waits: MailWaits;
  decisionWaits: DecisionWaits;
  send: SendMail;
  dryRun: DryRun;
  scheduledDispatch: ScheduledDispatch;
  review: Pick<HeldDecisions, 'approve' | 'reject' | 'undo'>;
  editHeld: EditHeld;
  checks: DomainChecks;
  push: Pick<Push, 'publicKey' | 'test'>;
  writeNotice: Notices['write'];
  workers: WorkerPool;
  underWay: WorkUnderWay;
  searches: Pick<FairQueue, 'run'>;
  /** Null: the search of knowledge goes by words alone. */
  toQueryVector: (text: string) => Promise<QueryVector | null>;
  /** Time of one search. */
  searchSeconds: number;
  /** Starts work on a queued source, and on the rest of a removed one. */
  wakeIndexer: () => void;
  /** Has what is due sent at once. */
  wakeSender: () => void;
  findAddresses: (url: URL) => Promise<CheckedAddresses>;
  onError: (error: unknown) => void;
}

/** @example createQueue = ({ store, clock }: Needs<'store' | 'clock'>) */
export type Needs<K extends keyof Given> = Pick<Given, K>;
