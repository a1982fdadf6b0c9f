/** Invitations to own a workspace, as its owners manage them. */

import { z } from 'zod';
import { addressInput, timeOutput } from '../../kernel/fields.ts';
import { OWNER, personOperation } from '../../kernel/operation.ts';

export const invitationShape = z.object({
  email: z.string(),
  invited_by: z.string(),
  created_at: timeOutput,
  expires_at: timeOutput,
});

export const invitationsContract = {
  /** Mails a person a link to own the workspace too; who was invited before gets a new one. */
  add: personOperation({
    workspace: 'required',
    activity: 'owner.invite',
    audience: OWNER,
    input: z.strictObject({ email: addressInput }),
    output: invitationShape,
  }),
  /** Lists the persons who were invited and have not answered, who was first first. */
  list: personOperation({
    workspace: 'required',
    audience: OWNER,
    output: z.object({ invitations: z.array(invitationShape) }),
  }),
  /** Withdraws an invitation: its link does nothing from then on. */
  remove: personOperation({
    workspace: 'required',
    activity: 'owner.uninvite',
    audience: OWNER,
    input: z.strictObject({ email: addressInput }),
    output: z.object({ email: z.string(), withdrawn: z.literal(true) }),
  }),
};
