/** What a delivery is made of. */

import type { Address } from '../kernel/address.ts';
import type { SmtpTimeouts } from './smtp-timeouts.ts';

export interface DeliveryRequest {
  /** `name` is asked for by SNI; `address`, an IP address, is connected to. */
  readonly host: { readonly name: string; readonly address: string };
  readonly port: number;
  /** Our name in EHLO. */
  readonly localName: string;
  /** null: the null sender of a bounce, RFC 5321 section 4.5.5. */
  readonly mailFrom: Address | null;
  readonly recipient: Address;
  /** The bytes that go out; line ends become CRLF, and dots are stuffed. */
  readonly raw: Buffer;
  /** Those of {@link SMTP_TIMEOUTS} that are to be others. */
  readonly timeouts?: Partial<SmtpTimeouts>;
  /**
   * Awaited once the host has taken sender, recipient and DATA, before the first byte of the message leaves. Where it
   * rejects, the session ends without the final dot, and `deliver` rejects with its error.
   */
  readonly onBeforeData?: () => Promise<void>;
  /** No delivery in the clear. The certificate is not verified. */
  readonly requireTls?: boolean;
  /** The IP address to connect from. */
  readonly localAddress?: string;
}

export interface TlsState {
  /** As `TLSv1.3`. */
  readonly protocol: string;
  /** The IANA name, as `TLS_AES_256_GCM_SHA384`. */
  readonly cipher: string;
}
