/** The meaning of a host's reply, by its enhanced code (RFC 3463) or its basic one, and the page with the remedy. */

interface Meaning {
  words: string;
  href?: string;
}

const MEANINGS: readonly (readonly [RegExp, Meaning])[] = [
  [/\b[45]\.1\.(?:0|1|2|3|6|10)\b/, { words: 'the address does not exist', href: '/suppressions' }],
  [/\b[45]\.2\.[012]\b/, { words: 'the mailbox is full or switched off' }],
  [
    /\b[45]\.7\.(?:2[0-9]|9)\b/,
    { words: 'the sender is not proven to them: see the records of the domain', href: '/domains' },
  ],
  [/\b[45]\.7\.\d+\b/, { words: 'refused by their policy: mostly the reputation of this network or the content' }],
  [/\b[45]\.4\.\d+\b/, { words: 'their mail server was not reached' }],
  [/\b[45]\.3\.\d+\b/, { words: 'their mail system is not taking mail just now' }],
  [/\b[45]\.6\.\d+\b/, { words: 'they cannot take mail of this form' }],
];

export const meaningOf = (kind: 'refused' | 'deferred', codes: string): Meaning => {
  const found = MEANINGS.find(([form]) => form.test(codes))?.[1];
  if (kind === 'refused') return found ?? { words: codes === '' ? 'their mail server was not reached' : 'refused' };
  return { words: 'tried again by itself, nothing to do' };
};
