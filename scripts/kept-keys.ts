/**
 * RSA keys for tests, each made once on a machine: looking for their primes took a sixth of what the flows cost. A process
 * makes those that are not kept yet, and gets the first one again after the last: no test asks for as many.
 */

import crypto from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = join(import.meta.dirname, '../node_modules/.cache/postroom-test-keys');

const KEYS = 24;

const generate = promisify(crypto.generateKeyPair);
let count = 0;

const makeKept = async (modulusLength: number): Promise<crypto.KeyPairKeyObjectResult> => {
  count = (count + 1) % KEYS;
  const file = join(FOLDER, `${modulusLength}-${count}.pem`);
  if (!existsSync(file)) {
    const { privateKey } = await generate('rsa', { modulusLength });
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    // Another process may have kept one meanwhile, and may be reading it.
    renameSync(`${file}.${process.pid}`, file);
  }
  const privateKey = crypto.createPrivateKey(readFileSync(file));
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) };
};

/** Has `promisify(generateKeyPair)` take kept keys, where an RSA key is asked for by its length alone. */
export const keepKeys = (): void => {
  const own = crypto.generateKeyPair;
  const kept = Object.assign((...asked: Parameters<typeof own>) => own(...asked), {
    [promisify.custom]: (type: string, options: { modulusLength: number }) =>
      type === 'rsa' && Object.keys(options).join() === 'modulusLength'
        ? makeKept(options.modulusLength)
        : generate(type as 'rsa', options),
  });
  crypto.generateKeyPair = kept as unknown as typeof own;
};
