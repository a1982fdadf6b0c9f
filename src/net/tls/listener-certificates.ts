/** The certificates of the listeners, as they are renewed. */

import type { SecureContext } from 'node:tls';

export interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface ListenerCertificates {
  /** The pair for clients that name no host, or a host without a certificate of its own. */
  readonly current: CertificatePair;
  /** Called with each later pair. */
  subscribe(onChange: (pair: CertificatePair) => void): void;
  /** The certificate of another name than the first (SNI, RFC 6066 section 3); undefined without one. */
  contextFor(name: string): SecureContext | undefined;
  /** Reads what has changed on disk now. */
  check(): void;
  close(): void;
}
