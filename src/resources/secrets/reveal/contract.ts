/** A secret's value and its one-time code, as an owner is shown them. Each view stands in the activity log. */

import { OWNER } from '../../../kernel/caller.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { secretsContract } from '../contract.ts';

const { get, totp } = secretsContract;
const ERRORS = ['secret_not_found_or_not_granted', 'vault_unavailable', 'secret_unreadable'] as const;

export const secretValuesContract = {
  open: personOperation({
    name: 'open_workspace_secret',
    audience: OWNER,
    activity: 'secret.open',
    summary: 'Opens a secret of the workspace for its owner. Every view is written to the activity log.',
    input: get.input,
    output: get.output,
    errors: ERRORS,
  }),
  totp: personOperation({
    name: 'get_workspace_totp_code',
    audience: OWNER,
    activity: 'secret.totp',
    summary: 'The one-time code, of a login secret, as it is now. Every view is written to the activity log.',
    input: totp.input,
    output: totp.output,
    errors: [...ERRORS, 'no_totp_on_secret'],
  }),
};
