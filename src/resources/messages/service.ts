/** The messages resource: a handler for each operation of its contract. */

import type { Handlers } from '../../kernel/handlers.ts';
import type { messagesContract } from './contract.ts';
import { createReading, type ReadingNeeds } from './read/read-messages.ts';
import { createSending, type SendingNeeds } from './send/send-messages.ts';
import { createWaiting, type WaitNeeds } from './wait/wait-operations.ts';

export const createMessages = (needs: ReadingNeeds & SendingNeeds & WaitNeeds): Handlers<typeof messagesContract> => {
  const { handlers, readMessage } = createReading(needs);
  return { ...handlers, ...createSending(needs), ...createWaiting(needs, readMessage) };
};
