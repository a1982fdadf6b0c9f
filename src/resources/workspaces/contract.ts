/** Workspaces, as owners and the operator manage them. */

import { z } from 'zod';
import { idOutput, lineInput, lookedUpInput, timeOutput } from '../../kernel/fields.ts';
import { OPERATOR, personOperation } from '../../kernel/operation.ts';

export const workspaceShape = z.object({
  id: idOutput,
  name: z.string(),
  slug: z.string(),
  subdomain: z.string(),
  plan: z.string(),
  tier: z.enum(['standard', 'probation']),
  owner_email: z.string(),
  sending_state: z.enum(['normal', 'throttled', 'paused']),
  may_send: z.boolean().describe('Verified, and not paused'),
  claim: z.enum(['open', 'claimed']).nullable().describe('Null: no agent signed up for it'),
  lapses_at: timeOutput.nullable().describe('When it ends unless it is claimed or verified; null: it does not end'),
  verified_at: timeOutput.nullable(),
  created_at: timeOutput,
});

export const usageShape = z.object({
  sent_today: z.number(),
  quota_used_today: z.number(),
  sends_per_day: z.number().nullable(),
  sent_this_month: z.number(),
  quota_used_this_month: z.number(),
  sends_per_month: z.number().nullable(),
  spent_usd: z.number(),
  spend_cap_usd: z.number().nullable(),
});

const sendingStateShape = workspaceShape.pick({ id: true, name: true, slug: true, sending_state: true });

/** Stored as written: notices go to it. */
const ownerInput = z.string().max(320);

export const workspacesContract = {
  /** Makes a workspace, with a subdomain of its own. */
  add: personOperation({
    activity: 'workspace.add',
    audience: OPERATOR,
    input: z.strictObject({
      name: lineInput(200),
      owner_email: ownerInput,
      plan: lookedUpInput,
      verified: z.boolean().default(false).describe('Takes the owner as verified: until it is, nothing is sent'),
    }),
    output: workspaceShape.pick({ id: true, name: true, slug: true, subdomain: true, plan: true }),
  }),
  list: personOperation({
    output: z.object({ workspaces: z.array(workspaceShape) }),
  }),
  get: personOperation({
    workspace: 'required',
    output: workspaceShape.extend({
      usage: usageShape,
      domains: z.array(z.string()),
      agents: z.array(z.object({ id: idOutput, handle: z.string(), address: z.string() })),
    }),
  }),
  /**
   * Takes the address of a workspace's owner as verified, without a mail: the workspace may send, and does not lapse.
   */
  verify: personOperation({
    workspace: 'required',
    activity: 'workspace.verify',
    audience: OPERATOR,
    output: workspaceShape.pick({ id: true, name: true, slug: true, verified_at: true }),
  }),
  pause: personOperation({
    workspace: 'required',
    activity: 'workspace.pause',
    input: z.strictObject({
      reason: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe('Told with the event workspace.paused; left out, `owner` or `operator`, who paused it'),
    }),
    output: sendingStateShape,
  }),
  /** Ends the pause or throttle of a workspace; what was sent before counts against it no more. */
  resume: personOperation({
    workspace: 'required',
    activity: 'workspace.resume',
    output: sendingStateShape,
  }),
  /** Removes a workspace for good: keys end, addresses take no mail, waiting mail is cancelled, data is deleted. */
  remove: personOperation({
    workspace: 'required',
    activity: 'workspace.remove',
    audience: OPERATOR,
    output: z.object({ id: idOutput, name: z.string(), slug: z.string(), removed: z.literal(true) }),
  }),
  /** Changes a workspace's plan and what a month may cost beyond it; ends its probation. */
  setPlan: personOperation({
    workspace: 'required',
    activity: 'workspace.set_plan',
    audience: OPERATOR,
    input: z.strictObject({
      plan: lookedUpInput,
      spend_cap_usd: z.number().min(0).nullable().default(null).describe("Null: the plan's own cap"),
    }),
    output: workspaceShape.pick({ id: true, name: true, slug: true, plan: true, tier: true }).extend({
      spend_cap_usd: z.number().nullable(),
    }),
  }),
};

export type WorkspaceView = z.infer<typeof workspaceShape>;
export type WorkspaceUsageView = z.infer<typeof usageShape>;
