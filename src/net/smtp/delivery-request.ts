/** Destination of an SMTP session, and input of a transaction. */

import type { TLSSocket } from 'node:tls';
import type { Address } from '../../kernel/address.ts';
import type { Login } from './client-auth.ts';
import type { SmtpTimeouts } from './client-timeouts.ts';

/** TLS failure types (RFC 8460 section 4.3). */
export type TlsFailureType =
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'
  | 'tlsa-invalid'
  | 'dnssec-invalid'
  | 'dane-required'
  | 'sts-policy-fetch-error'
  | 'sts-policy-invalid'
  | 'sts-webpki-invalid';

export interface TlsFailure {
  readonly type: TlsFailureType;
  readonly reason: string;
}

/** Checks the certificate of a completed handshake. @returns null where it passes */
export type CertificateCheck = (socket: TLSSocket) => TlsFailure | null;

export type TlsSecurityLevel =
  /** STARTTLS is not used. */
  | { readonly kind: 'none' }
  /** RFC 7435: STARTTLS where offered, with any certificate. A failed check is reported and does not stop delivery. */
  | { readonly kind: 'opportunistic'; readonly check?: CertificateCheck | null; readonly extraCa?: string | null }
  /** Nothing is sent before STARTTLS and the check, a password among it; `implicit`: TLS from the first byte. */
  | {
      readonly kind: 'required';
      readonly implicit?: boolean;
      readonly check: CertificateCheck | null;
      /** PEM, in addition to Node's authorities. */
      readonly extraCa?: string | null;
      /** RFC 4954. */
      readonly login?: Login | null;
    };

export interface SessionDestination {
  /** `name` is sent as SNI; `address`, an IP address, is the peer. */
  readonly host: { readonly name: string; readonly address: string };
  readonly port: number;
  /** Name of this instance in EHLO. */
  readonly localName: string;
  readonly tls: TlsSecurityLevel;
  /** The local IP address of the connection. */
  readonly localAddress?: string | undefined;
  /** Override {@link SMTP_TIMEOUTS}. */
  readonly timeouts?: Partial<SmtpTimeouts>;
}

export interface MailToDeliver {
  /** null: the null return path of a DSN (RFC 5321 section 4.5.5). */
  readonly mailFrom: Address | null;
  readonly recipient: Address;
  /** The bytes to send; line ends become CRLF, and dots are stuffed. */
  readonly raw: Uint8Array;
  /** The conversion for a host without SMTPUTF8; left out or null where `raw` suits it as well. */
  readonly asciiRaw?: Uint8Array | null;
}

export interface TlsState {
  /** As `TLSv1.3`. */
  readonly protocol: string;
}
