/** Suppressed addresses of a workspace, as owners and the operator manage them. */

import { z } from 'zod';
import {
  addressKeyInput,
  cursorInput,
  nextCursor,
  REACH_ERRORS,
  workspaceInput,
  workspaceListInput,
} from '../../../kernel/fields.ts';
import { personOperation } from '../../../kernel/operation.ts';
import { suppressionShape } from '../contract.ts';

const entryInput = z.strictObject({ workspace: workspaceInput, address: addressKeyInput('invalid_email') });

export const workspaceSuppressionsContract = {
  list: personOperation({
    name: 'list_workspace_suppressions',
    activity: null,
    summary: "Lists addresses that a workspace's mail no longer goes to, newest first.",
    input: workspaceListInput.extend({ cursor: cursorInput }),
    output: z.object({ suppressions: z.array(suppressionShape), next_cursor: nextCursor }),
    errors: REACH_ERRORS,
  }),
  find: personOperation({
    name: 'find_suppressions',
    activity: null,
    summary: 'Finds suppressed addresses of a workspace by how they begin, in their order.',
    input: workspaceListInput.extend({ beginning: z.string().trim().toLowerCase().min(1).max(320) }),
    output: z.object({ suppressions: z.array(suppressionShape), has_more: z.boolean() }),
    errors: REACH_ERRORS,
  }),
  add: personOperation({
    name: 'add_suppression',
    activity: 'suppression.add',
    summary: 'Refuses mail of a workspace to an address, for good.',
    input: entryInput,
    output: suppressionShape,
    errors: [...REACH_ERRORS, 'invalid_email'],
  }),
  remove: personOperation({
    name: 'remove_suppression',
    activity: 'suppression.remove',
    summary: 'Lets mail of a workspace go to an address again.',
    input: entryInput,
    output: z.object({ address: z.string(), removed: z.literal(true) }),
    errors: [...REACH_ERRORS, 'invalid_email', 'suppression_not_found'],
  }),
};
