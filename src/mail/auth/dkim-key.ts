/** Generates DKIM key pairs and formats the records that publish them (RFC 6376 section 3.6.1, RFC 8463). */

import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

export interface DkimKey {
  /** PKCS #8, PEM. */
  privateKey: string;
  /** The value of `p=`, base64: SubjectPublicKeyInfo for RSA, the bare 32 octets for Ed25519. */
  publicKey: string;
}

/** RFC 8301 section 3.2 requires signers to use 2048 bits or more; longer records exceed the limits of some DNS editors. */
const RSA_BITS = 2048;
const ED25519_OCTETS = 32;

const generate = promisify(generateKeyPair);

/** Generates a key pair off the main thread. */
export const generateDkimKey = async (algorithm: DkimAlgorithm): Promise<DkimKey> => {
  const pair = await (algorithm === 'rsa-sha256'
    ? generate('rsa', { modulusLength: RSA_BITS })
    : generate('ed25519', {}));
  const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
  const published = algorithm === 'rsa-sha256' ? spki : spki.subarray(-ED25519_OCTETS);
  return {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: published.toString('base64'),
  };
};

/** Formats the TXT record at `<selector>._domainkey.<domain>` as one string: DNS software splits it at 255 octets. */
export const dkimRecord = ({ algorithm, publicKey }: { algorithm: DkimAlgorithm; publicKey: string }): string =>
  `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`;
