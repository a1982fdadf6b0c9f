/** Replaying a delivery. */

import type { Handlers } from '../../kernel/operation.ts';
import type { webhooksContract } from '../webhooks/contract.ts';
import type { replaysContract } from './contract.ts';

export const createReplays = ({
  test,
}: Pick<Handlers<typeof webhooksContract>, 'test'>): Handlers<typeof replaysContract> => ({
  replay: (caller, { delivery_id }, call) => test(caller, { delivery_id }, call),
});
