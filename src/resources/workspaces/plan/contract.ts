/** A workspace's plan: its limits, and how much of them is used. */

import { z } from 'zod';
import { OWNER, personOperation } from '../../../kernel/operation.ts';
import { usageShape } from '../contract.ts';

const count = z.int();

export const planContract = {
  /** Shows a workspace's plan: its sends and spend, and how many it has of what the plan counts. */
  get: personOperation({
    audience: OWNER,
    output: z.object({
      plan: z.string(),
      tier: z.enum(['standard', 'probation']),
      usage: usageShape,
      overage_usd: z.number().nullable().describe('For each send over the month; null: they are refused'),
      parts: z.array(
        z.object({
          part: z.enum(['mailboxes', 'custom_domains', 'webhook_endpoints', 'knowledge_pages', 'mail_bytes']),
          used: count,
          included: count.nullable().describe('Null: no limit'),
          extra_usd: z.number().nullable().describe('A month, for each one more; null: one more is refused'),
        }),
      ),
    }),
  }),
};
