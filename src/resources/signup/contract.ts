/** Signs up: a workspace, an agent and a key in one call, without a person. */

import { z } from 'zod';
import { addressInput, handleInput, shownNameInput, shownTextInput } from '../../kernel/fields.ts';
import { operation } from '../../kernel/operation.ts';
import { named } from '../../kernel/schema-names.ts';

const signupShape = named(
  'SignupReply',
  z.object({
    handle: z.string(),
    address: z.string(),
    api_key: z.string().describe('Shown this once'),
    mcp_url: z.url(),
    claim_url: z
      .url()
      .describe('For the person who owns the workspace: it is claimed there, and may send from then on'),
    claim_by: z.iso.datetime().describe('Unclaimed, the workspace ends then, with its mail'),
    next: z.array(z.string()).describe('What to do, in order'),
  }),
);

/** Room for all fields, with every character as an escape. */
const BODY_LIMIT = 32 * 1024;

export const signupContract = {
  signUp: operation({
    name: 'sign_up',
    audience: ['anonymous'],
    scope: [],
    tool: { none: 'it needs no key, and gives the first one.' },
    activity: 'workspace.sign_up',
    route: 'POST /v1/signup',
    summary:
      'Makes you a workspace, an address and an API key. It receives mail at once, and sends once a person claims it.',
    input: z.strictObject({
      handle: handleInput,
      email: addressInput.optional().describe('Who may claim it: the link goes there. Left out, only the operator can'),
      workspace_name: shownNameInput(200).optional(),
      description: shownTextInput(2000).optional(),
    }),
    output: signupShape,
    statuses: [201],
    errors: ['handle_taken', 'signup_closed', 'vault_unavailable'],
    bodyLimit: BODY_LIMIT,
    example: { handle: 'pilot', email: 'owner@example.com', workspace_name: 'Fjord Research' },
  }),
};
