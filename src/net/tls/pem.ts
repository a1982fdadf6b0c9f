/** A key and its certificate chain in one PEM text (RFC 7468). */

const KEY_BLOCK = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[^-]+-----END (?:[A-Z]+ )?PRIVATE KEY-----\n?/;

/** @returns the chain alone, and the key; null where the text has none */
export const splitPem = (text: string): { chain: string; key: string | null } => {
  const key = KEY_BLOCK.exec(text)?.[0] ?? null;
  return { chain: key === null ? text : text.replace(key, ''), key };
};
