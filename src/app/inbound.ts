/** Inbound mail: resolves recipients, verifies, files, forwards role mail to owners. */

import type { Config } from '../config/config.ts';
import { createHasRoom } from '../inbound/mail-quota.ts';
import { createReceive } from '../inbound/receive.ts';
import { createResolveRecipient } from '../inbound/resolve-recipient.ts';
import { DAY } from '../kernel/clock.ts';
import { listedIn } from '../net/dns/dnsbl.ts';
import { scanWithRspamd } from '../net/http/rspamd.ts';
import type { Notices } from '../notices/notices.ts';
import { createForwardRoleMail } from '../notices/role-mail.ts';
import { processReport } from '../outbound/bounce/process-report.ts';
import { cleanUpRemovedAgents } from '../resources/agents/removed-agents.ts';
import { removeExpiredMailboxes } from '../resources/temp-addresses/expired-mailboxes.ts';
import { NOTICES, systemAddress } from '../resources/workspaces/system-senders.ts';
import { EVERY_MINUTE } from './jobs.ts';
import { createTellOwners, createTellPaused } from './notices.ts';
import type { Base } from './processing.ts';

export interface InboundParts extends Base {
  notices: Pick<Notices, 'write'>;
}

export type Inbound = ReturnType<typeof createInbound>;

export const createInbound = (config: Config, { storage, network, processing, notices }: InboundParts) => {
  const { store, newId, plans, bounceRules, returnPathKey, systemAgents, activity } = storage;
  const { clock } = storage.runtime;
  const { events, mailLog, workers, onError } = processing;
  const { dnsbl, rspamd_url: rspamd } = config.scan;
  const tellOwners = createTellOwners(notices.write, config);
  const reporting = { events, plans, bounceRules, activity, mailLog, notifyPaused: createTellPaused(tellOwners) };
  return {
    resolveRecipient: createResolveRecipient({
      db: store.read,
      clock,
      returnPathKey,
      hostname: config.hostname,
      baseDomain: config.base_domain,
      system: systemAgents?.notices ?? null,
      operatorMail: systemAgents?.operatorMail ?? null,
      operatorAddress: config.operator.address,
      hasRoom: createHasRoom({
        store,
        clock,
        plans,
        notifyOwners: (tx, workspaceId, limit) =>
          tellOwners(tx, workspaceId, { kind: 'mail-full', data: { workspaceId, limit } }),
      }),
    }),
    receive: createReceive({
      store,
      events,
      mailLog,
      workers,
      clock,
      newId,
      hostname: config.hostname,
      filterResponse: config.smtp.filter_response,
      maxReceivedFields: config.smtp.limits.received_fields,
      ownersMailFrom: systemAddress(NOTICES, config.base_domain),
      listedIn: dnsbl.length > 0 ? (ip) => listedIn(ip, dnsbl, network.resolver) : null,
      trustedArcSealers: new Set(config.smtp.trusted_forwarders),
      scan: rspamd ? (raw, session) => scanWithRspamd(rspamd, raw, session) : null,
      onRoleMail: createForwardRoleMail({ clock, write: notices.write }),
      onReport: (tx, deliveryId, report) => processReport(reporting, tx, deliveryId, report, clock.now()),
      onError,
    }),
    jobs: [
      { name: 'expired mailboxes', pattern: EVERY_MINUTE, run: () => removeExpiredMailboxes(store, clock.now()) },
      {
        name: 'removed agents',
        pattern: EVERY_MINUTE,
        run: () =>
          cleanUpRemovedAgents({ store, events, activity }, clock.now(), config.agents.keep_removed_mail_days * DAY),
      },
    ],
  };
};
