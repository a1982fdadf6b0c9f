/** Owners, as owners and the operator manage them. */

import { z } from 'zod';
import { addressInput, timeOutput } from '../../kernel/fields.ts';
import { OPERATOR, personOperation } from '../../kernel/operation.ts';
import { endedShape } from '../connections/contract.ts';

const ownerShape = z.object({
  email: z.string(),
  /** The slug. */
  workspace: z.string(),
  verified_at: timeOutput.nullable().describe('When a mailed link proved the address'),
  /** Whether the workspace may send. */
  may_send: z.boolean(),
  created_at: timeOutput,
});

export const ownersContract = {
  /**
   * Gives a workspace a further owner, who signs in by a mailed link. Where its claim is open, it is claimed and verified
   * so. The operator vouches for the person; owners invite (invitations-contract.ts).
   */
  add: personOperation({
    workspace: 'required',
    activity: 'owner.add',
    audience: OPERATOR,
    input: z.strictObject({ email: addressInput }),
    output: ownerShape,
  }),
  list: personOperation({
    workspace: 'optional',
    output: z.object({ owners: z.array(ownerShape) }),
  }),
  /** Takes a workspace from an owner, at once; a workspace keeps its last one. */
  remove: personOperation({
    workspace: 'required',
    activity: 'owner.remove',
    input: z.strictObject({ email: addressInput }),
    output: z.object({ email: z.string(), workspace: z.string(), removed: z.literal(true), ended: endedShape }),
  }),
  /** Makes a link that signs an owner in, once, within 15 minutes. */
  addSignInLink: personOperation({
    activity: 'owner.sign_in_link',
    audience: OPERATOR,
    input: z.strictObject({ email: addressInput }),
    output: z.object({ url: z.string(), expires_at: timeOutput }),
  }),
  /** Ends all sessions of an owner, and the links that would sign it in. */
  signOut: personOperation({
    activity: 'session.end',
    audience: OPERATOR,
    input: z.strictObject({ email: addressInput }),
    output: z.object({ email: z.string(), ended: z.int() }),
  }),
};
