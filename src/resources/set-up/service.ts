/** The first steps. */

import { reachAgent } from '../../access/reach.ts';
import { type Address, parseNamedAddress } from '../../kernel/address.ts';
import { emailOfOwner } from '../../kernel/caller.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { hintOfRejection } from '../../outbound/gate/rejections.ts';
import { putSetUpAway } from '../../store/owners/owners.ts';
import type { Needs } from '../needs.ts';
import type { setUpContract } from './contract.ts';

const SUBJECT = 'A test mail';
const textTo = (handle: string, owner: Address): string => `\
This is a test mail from the console of Postroom, sent by ${owner}.

It has arrived, so mail reaches ${handle}. Nothing is asked of you; an answer to it shows that mail leaves as well.
`;

export const createSetUp = (
  needs: Needs<'store' | 'clock' | 'isLocalOnly' | 'send' | 'postmaster'>,
): Handlers<typeof setUpContract> => {
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
