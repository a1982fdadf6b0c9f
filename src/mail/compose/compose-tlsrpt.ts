/** Composes the mail that carries a TLSRPT report (RFC 8460 section 5.3). */

import type { Address } from '../../kernel/address.ts';
import type { Millis } from '../../kernel/clock.ts';
import { foldField } from '../header/fold.ts';
import { mailDate } from '../header/trace-fields.ts';
import { base64Lines } from '../mime/base64.ts';

export interface TlsrptMail {
  from: Address;
  to: readonly Address[];
  date: Millis;
  /** The reported policy domain; `submitter` is the reporting one. */
  domain: string;
  submitter: string;
  reportId: string;
  /** RFC 8460 section 5.1. */
  filename: string;
  /** JSON, gzipped. */
  report: Buffer;
}

/** @returns the bytes, without a Message-ID, which the caller adds */
export const composeTlsrpt = (mail: TlsrptMail): Buffer => {
  const { domain, submitter, reportId } = mail;
  // Derived from the report's identifier: no line of the parts can contain it.
  const boundary = `tls-report-${reportId.replace(/[^A-Za-z0-9]/g, '').slice(0, 50)}`;
  const header = [
    `From: Postroom TLS reports <${mail.from}>`,
    `To: ${mail.to.join(', ')}`,
    `Subject: Report Domain: ${domain} Submitter: ${submitter} Report-ID: <${reportId}>`,
    `Date: ${mailDate(mail.date)}`,
    `TLS-Report-Domain: ${domain}`,
    `TLS-Report-Submitter: ${submitter}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type="tlsrpt"; boundary="${boundary}"`,
  ].map(foldField);
  const text = [
    `This is a report on TLS with the mail servers of ${domain}, as ${submitter} found it (RFC 8460).`,
    'The figures are in the attached file.',
  ];
  return Buffer.from(
    `${header.join('')}\r\n--${boundary}\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\n${text.join('\r\n')}\r\n` +
      `--${boundary}\r\nContent-Type: application/tlsrpt+gzip\r\nContent-Transfer-Encoding: base64\r\n` +
      `Content-Disposition: attachment; filename="${mail.filename}"\r\n\r\n${base64Lines(mail.report)}\r\n--${boundary}--\r\n`,
  );
};
