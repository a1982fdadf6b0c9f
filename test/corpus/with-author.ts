/** A message with one From that is none of its own, for those that would be refused for what they have. */

import { eachField, splitMessage } from '../../src/mail/header/header-section.ts';

const FROM = /^from[ \t]*:/i;

export const withAuthor = (raw: Buffer): Buffer => {
  const { header } = splitMessage(raw);
  const kept: Buffer[] = [Buffer.from('From: Carol <carol@remote.test>\r\n')];
  eachField(header, (start, end) => {
    if (!FROM.test(header.toString('latin1', start, Math.min(end, start + 16)))) kept.push(header.subarray(start, end));
    return true;
  });
  return Buffer.concat([...kept, raw.subarray(header.length)]);
};
