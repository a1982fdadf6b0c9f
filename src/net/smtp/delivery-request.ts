/** Where an SMTP session goes, and what it is given to deliver. */

import type { TLSSocket } from 'node:tls';
import type { Address } from '../../kernel/address.ts';
import type { SmtpTimeouts } from './client-timeouts.ts';

/** Why TLS came to nothing, in the words of RFC 8460 section 4.3. */
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

/** Looks at the certificate of a finished handshake. @returns null where it is as it has to be */
export type CertificateCheck = (socket: TLSSocket) => TlsFailure | null;

export type TlsSecurityLevel =
  /** STARTTLS is left alone. */
  | { readonly kind: 'none' }
  /** RFC 7435: STARTTLS where it can be had, whatever the certificate. What a check finds is told and stops nothing. */
  | { readonly kind: 'opportunistic'; readonly check?: CertificateCheck | null; readonly extraCa?: string | null }
  /** Nothing is sent before STARTTLS and the check; `implicit`: TLS from the first byte. */
  | {
      readonly kind: 'required';
      readonly implicit?: boolean;
      readonly check: CertificateCheck | null;
      /** PEM, in addition to what Node trusts. */
      readonly extraCa?: string | null;
    };

export interface SessionTarget {
  /** `name` is asked for by SNI; `address`, an IP address, is connected to. */
  readonly host: { readonly name: string; readonly address: string };
  readonly port: number;
  /** Our name in EHLO. */
  readonly localName: string;
  readonly tls: TlsSecurityLevel;
  /** RFC 4954. Sent over TLS alone, or to this machine itself. */
  readonly login?: { readonly user: string; readonly password: string } | null;
  /** The IP address to connect from. */
  readonly localAddress?: string | undefined;
  /** Those of {@link SMTP_TIMEOUTS} that are to be others. */
  readonly timeouts?: Partial<SmtpTimeouts>;
}

export interface MailToDeliver {
  /** null: the null sender of a bounce, RFC 5321 section 4.5.5. */
  readonly mailFrom: Address | null;
  readonly recipient: Address;
  /** The bytes that go out; line ends become CRLF, and dots are stuffed. */
  readonly raw: Uint8Array;
  /** The same for a host without SMTPUTF8; left out or null where `raw` suits it as well. */
  readonly asciiRaw?: Uint8Array | null;
}

export interface TlsState {
  /** As `TLSv1.3`. */
  readonly protocol: string;
  /** The IANA name, as `TLS_AES_256_GCM_SHA384`. */
  readonly cipher: string;
}
