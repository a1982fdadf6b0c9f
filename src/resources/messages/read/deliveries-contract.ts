/** What became of a sent mail at each recipient. */

import { z } from 'zod';
import { timeOutput } from '../../../kernel/fields.ts';
import { named } from '../../../kernel/schema-names.ts';
import { onDetail } from '../../../kernel/tools/tool-fields.ts';
import { untrustedText } from '../../../kernel/tools/untrusted-fields.ts';

export const deliveryShape = named(
  'Delivery',
  z.object({
    address: z.string(),
    status: z.enum(['queued', 'deferred', 'delivered', 'bounced', 'complained', 'cancelled']),
    code: z.int().nullable(),
    enhanced_code: z.string().nullable(),
    response: untrustedText(z.string().nullable()),
    remote_host: z.string().nullable(),
    tls: z.string().nullable(),
    attempts: z.int(),
    last_attempt_at: timeOutput.nullable(),
    next_attempt_at: timeOutput.nullable(),
  }),
);

/** A mail to several has one status: who did not get it is told without `detail`. */
const notDelivered = (deliveries: readonly z.output<typeof deliveryShape>[]) => {
  const failed = deliveries.filter(({ status }) => status !== 'delivered' && status !== 'queued');
  if (failed.length === 0) return undefined;
  return failed.map(({ address, status, code, next_attempt_at }) => ({ address, status, code, next_attempt_at }));
};

export const deliveriesField = onDetail(z.array(deliveryShape), notDelivered);
