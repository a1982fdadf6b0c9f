/** Invitations to own a workspace, as its owners manage them. */

import { z } from 'zod';
import { OWNER } from '../../kernel/caller.ts';
import { addressInput, timeOutput } from '../../kernel/fields.ts';
import { personOperation } from '../../kernel/operation.ts';

export const invitationShape = z.object({
  email: z.string(),
  invited_by: z.string(),
  created_at: timeOutput,
  expires_at: timeOutput,
});

export const invitationsContract = {
  add: personOperation({
    name: 'invite_owner',
    workspace: 'required',
    activity: 'owner.invite',
    audience: OWNER,
    summary: 'Mails a person a link to own the workspace too; who was invited before gets a new one.',
    input: z.strictObject({ email: addressInput }),
    output: invitationShape,
  }),
  list: personOperation({
    name: 'list_invitations',
    workspace: 'required',
    audience: OWNER,
    summary: 'Lists the persons who were invited and have not answered, who was first first.',
    output: z.object({ invitations: z.array(invitationShape) }),
  }),
  remove: personOperation({
    name: 'withdraw_invitation',
    workspace: 'required',
    activity: 'owner.uninvite',
    audience: OWNER,
    summary: 'Withdraws an invitation: its link does nothing from then on.',
    input: z.strictObject({ email: addressInput }),
    output: z.object({ email: z.string(), withdrawn: z.literal(true) }),
  }),
};
