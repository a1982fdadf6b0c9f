/** The account at an authority (RFC 8555 section 7.3): its key, and its URL once it is registered; a file for each authority. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import acme from 'acme-client';
import { z } from 'zod';
import { replaceFile } from '../../../kernel/files/replace-file.ts';

const accountFile = z.object({ directory: z.string(), key: z.string(), url: z.string().nullable() });

export interface AcmeAccount {
  /** PEM. */
  key: string;
  /** Null: not registered yet, or to be looked up by its key. */
  url: string | null;
  keepUrl(url: string | null): void;
}

/**
 * Reads the account, or makes its key.
 * @throws where the file is damaged: a new account would lose the old one's authorizations and limits
 */
export const openAcmeAccount = async (folder: string, directory: string): Promise<AcmeAccount> => {
  const path = join(folder, `account-${new URL(directory).hostname}.json`);
  const read = () => accountFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  const known = existsSync(path) ? read() : null;
  const write = (key: string, url: string | null): void =>
    replaceFile(path, `${JSON.stringify({ directory, key, url }, null, 2)}\n`, 0o600);
  const key = known?.key ?? String(await acme.crypto.createPrivateEcdsaKey('P-256'));
  if (!known) write(key, null);
  // For another directory on that host, such as one for tests, only the key is valid.
  return { key, url: known?.directory === directory ? known.url : null, keepUrl: (url) => write(key, url) };
};
