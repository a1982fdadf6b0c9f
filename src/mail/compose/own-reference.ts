/** Some relays put their own Message-ID into a mail. A reply quotes its References as well, so these hold our id. */

import { readMessage } from '../header/message-header.ts';
import { withoutFields } from '../header/trace-fields.ts';

/** @returns the mail with its own Message-ID as the last of its References */
export const withOwnReference = (raw: Buffer): Buffer => {
  const { messageId, references } = readMessage(raw).head;
  if (messageId === null) return raw;
  const ids = [...references.filter((id) => id !== messageId), messageId];
  return Buffer.concat([Buffer.from(`References: ${ids.join('\r\n ')}\r\n`), withoutFields(raw, ['references'])]);
};
