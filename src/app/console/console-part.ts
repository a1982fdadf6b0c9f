/** What the owners' console calls: every operation of persons, in the daemon, as the owner of a session. */

import type { Dispatch } from '../../access/dispatch.ts';
import { type Config, servedZone } from '../../config/config.ts';
import type { EventFeed } from '../../events/feed.ts';
import type { Bound } from '../../kernel/handlers.ts';
import type { Operation } from '../../kernel/operation.ts';
import { contracts } from '../../resources/contracts.ts';
import { createPasskeys } from '../../resources/owners/passkeys.ts';
import { createSignIn } from '../../resources/owners/sign-in.ts';
import type { Domains } from '../domains/domains-part.ts';
import type { Knowledge } from '../knowledge/knowledge-part.ts';
import type { Network } from '../network.ts';
import type { NoticesPart } from '../notices.ts';
import type { toInstanceNeeds } from '../operations.ts';
import type { Outbound } from '../outbound.ts';
import type { Processing } from '../processing.ts';
import type { Storage } from '../storage.ts';
import type { Webhooks } from '../webhooks.ts';

export interface ConsoleParts {
  storage: Storage;
  processing: Processing;
  outbound: Outbound;
  notices: NoticesPart;
  domains: Domains;
  network: Network;
  knowledge: Knowledge;
  webhooks: Webhooks;
}

export const createConsole = (
  config: Config,
  { notices }: ConsoleParts,
  needs: ReturnType<typeof toInstanceNeeds>,
  calls: { operations: readonly Bound<Operation>[]; dispatch: Dispatch; feed: EventFeed },
) => {
  const { publicUrl, hostname, clock, ownerSessions: sessions } = needs;
  return {
    ...calls,
    publicUrl,
    hostname,
    clock,
    sessions,
    servedZone: servedZone(config),
    contracts,
    passkeys: createPasskeys({ ...needs, writeNotice: notices.write }),
    signIn: createSignIn({
      ...needs,
      onOwnAddress: (email) => notices.logOwnAddress('sign-in', email),
      writeNotice: notices.write,
    }),
  };
};
