/** The messages resource: a handler for each operation of its contract. */

import type { Handlers } from '../../kernel/operation.ts';
import type { messagesContract } from './contract.ts';
import { createReading, type ReadingNeeds } from './reading.ts';
import { createSending, type SendingNeeds } from './send-messages.ts';

export const createMessages = (needs: ReadingNeeds & SendingNeeds): Handlers<typeof messagesContract> => ({
  ...createReading(needs),
  ...createSending(needs),
});
