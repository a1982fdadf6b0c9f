/** The first steps. */

import { reachAgent } from '../../access/reach.ts';
import { type Address, parseNamedAddress } from '../../kernel/address.ts';
import { emailOfOwner } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { AgentId } from '../../kernel/ids.ts';
import { hintOfRejection } from '../../outbound/gate/rejections.ts';
import type { SendMail } from '../../outbound/gate/send-request.ts';
import { putSetUpAway } from '../../store/owners/owners.ts';
import type { Store } from '../../store/store.ts';
import type { setUpContract } from './contract.ts';

export interface SetUpNeeds {
  store: Store;
  clock: Clock;
  isLocalOnly: boolean;
  send: SendMail;
  /**
   * The instance's postmaster: no mailbox accepts mail from the sender of notices. Null where nothing can be signed.
   */
  postmaster: AgentId | null;
}

const SUBJECT = 'A test mail';
const textTo = (handle: string, owner: Address): string => `\
This is a test mail from the console of Postroom, sent by ${owner}.

It has arrived, so mail reaches ${handle}. Nothing is asked of you; an answer to it shows that mail leaves as well.
`;

export const createSetUp = (needs: SetUpNeeds): Handlers<typeof setUpContract> => {
  const { store, clock, isLocalOnly, send, postmaster } = needs;
  return {
    sendTest: async (caller, { agent }) => {
      const { handle, address } = await reachAgent(store.read, caller, agent);
      if (!postmaster) throw new ApiError('vault_unavailable');
      const owner = parseNamedAddress(emailOfOwner(caller));
      const outcome = await send({
        agentId: postmaster,
        via: 'daemon',
        to: [{ name: null, address }],
        cc: [],
        parent: null,
        content: {
          kind: 'compose',
          subject: SUBJECT,
          body: textTo(handle, emailOfOwner(caller)),
          // With local mail only, an answer could not leave the instance.
          ...(owner && !isLocalOnly && { replyTo: [owner] }),
          attachments: [],
          trackOpens: false,
        },
      });
      const refused = outcome.kind === 'rejected' ? outcome : null;
      return { refused: refused && { reason: refused.reason, hint: hintOfRejection(refused) } };
    },

    putAway: async (caller) => {
      await store.write((tx) => putSetUpAway(tx, emailOfOwner(caller), clock.now()));
      return { away: true };
    },
  };
};
