/** Messages: reading, sending and waiting for mail. */

import { readOperations } from './read/contract.ts';
import { sendOperations } from './send/contract.ts';
import { waitOperations } from './wait/contract.ts';

export const messagesContract = { ...readOperations, ...sendOperations, ...waitOperations };
