/** Ten mails of everyday, of our own making, put together as the programs that send such mail do. */

import { readFileSync } from 'node:fs';
import { encodeQuotedPrintable } from '../../src/mail/mime/quoted-printable.ts';

/** A link that counts who follows it. */
const TRACK = `https://click.mailer.remote.test/f/a/${'Zm9vYmFyYmF6cXV4'.repeat(14)}~~/AAQRxQA~/${'RgRl'.repeat(20)}`;

const source = (name: string): string =>
  readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll('{{TRACK}}', TRACK);
const withCrlf = (text: string): string => text.replace(/\r?\n/g, '\r\n');

const quoted = (text: string, charset: 'utf8' | 'latin1' = 'utf8'): string =>
  encodeQuotedPrintable(Buffer.from(withCrlf(text), charset).toString('latin1'));
const base64 = (content: string | Buffer): string =>
  Buffer.from(typeof content === 'string' ? Buffer.from(withCrlf(content)) : content)
    .toString('base64')
    .replace(/.{76}/g, '$&\r\n');

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const mail = (from: string, subject: string, rest: string): string =>
  withCrlf(`From: ${from}
To: ann@acme.agents.box.test
Subject: ${subject}
Date: Mon, 16 Nov 2026 09:30:00 +0100
Message-ID: <${crypto.randomUUID()}@remote.test>
MIME-Version: 1.0
${rest}
`);

const quotedPart = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n${quoted(text)}`;

const alternative = (boundary: string, plain: string, html: string): string =>
  `Content-Type: multipart/alternative; boundary="${boundary}"

This is a multi-part message in MIME format.

--${boundary}
${quotedPart('text/plain', plain)}
--${boundary}
${quotedPart('text/html', html)}
--${boundary}--`;

const STUB = `Your e-mail program does not support HTML e-mails. Please open this message in your browser: ${TRACK}`;

export const everydayMails: Record<string, string> = {
  airline: mail(
    'Cirrus Air <booking@remote.test>',
    '=?utf-8?Q?Booking_confirmation_=E2=80=93_X7K9P2?=',
    alternative('----=_Part_1001.1', STUB, source('airline.html')),
  ),
  bank: mail(
    'Nordbank <noreply@remote.test>',
    '=?utf-8?B?SWhyZSDDnGJlcndlaXN1bmc=?=',
    `Auto-Submitted: auto-generated
Content-Type: multipart/related; boundary="rel_2"; type="text/html"

--rel_2
Content-Type: text/html; charset="UTF-8"
Content-Transfer-Encoding: base64

${base64(source('bank.html'))}
--rel_2
Content-Type: image/png; name="logo.png"
Content-Transfer-Encoding: base64
Content-ID: <logo@remote.test>
Content-Disposition: inline; filename="logo.png"

${base64(PIXEL)}
--rel_2--`,
  ),
  shop: mail(
    '"Kettle & Co." <orders@remote.test>',
    'Order #100482913 confirmed',
    alternative('b_03', 'Thanks!', source('shop.html')),
  ),
  parcel: mail(
    'Parcel Express <no-reply@remote.test>',
    'Dein Paket kommt morgen',
    `Content-Type: text/html; charset=windows-1252\nContent-Transfer-Encoding: quoted-printable\n\n${quoted(source('parcel.html'), 'latin1')}`,
  ),
  newsletter: mail(
    'The Weekly Envelope <hello@remote.test>',
    '=?utf-8?Q?=E2=9C=89=EF=B8=8F_Tabs_are_back?=',
    `List-Unsubscribe: <https://click.mailer.remote.test/u>\nPrecedence: bulk\n${alternative('_----------=_MCPart_42', source('newsletter.txt'), source('newsletter.html'))}`,
  ),
  'sign-in': mail(
    'Forge <noreply@remote.test>',
    '[Forge] Please verify your device',
    quotedPart('text/html', source('sign-in.html')),
  ),
  calendar: mail(
    'Carol Example <carol@remote.test>',
    'Invitation: Quarterly review',
    `Content-Type: text/calendar; charset="UTF-8"; method=REQUEST; name="invite.ics"\nContent-Transfer-Encoding: base64\n\n${base64(source('calendar.ics'))}`,
  ),
  'mailing-list': mail(
    'Carol Example via parsers <parsers@lists.remote.test>',
    '[parsers] Re: bare CR',
    `List-Id: Parsers <parsers.lists.remote.test>
Precedence: list
Content-Type: text/plain; charset=us-ascii; format=flowed
Content-Transfer-Encoding: 7bit

${source('mailing-list.txt')}`,
  ),
  outlook: mail(
    'Dave Example <dave@remote.test>',
    'RE: Figures',
    `Thread-Topic: Figures
x-ms-has-attach:
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

${base64(source('outlook.html'))}`,
  ),
  iphone: mail(
    'Erin Example <erin@remote.test>',
    'Re: Lunch',
    `X-Mailer: iPhone Mail (21A360)
Content-Type: multipart/alternative; boundary=Apple-Mail-8F1

--Apple-Mail-8F1
${quotedPart('text/plain', source('iphone.txt'))}
--Apple-Mail-8F1
Content-Type: multipart/related; type="text/html"; boundary=Apple-Mail-8F2

--Apple-Mail-8F2
${quotedPart('text/html', source('iphone.html'))}
--Apple-Mail-8F2
Content-Type: image/jpeg; name=IMG_4711.jpeg; x-apple-part-url=0B1C
Content-Disposition: inline; filename=IMG_4711.jpeg
Content-Transfer-Encoding: base64
Content-Id: <0B1C@remote.test>

${base64(PIXEL)}
--Apple-Mail-8F2--

--Apple-Mail-8F1--`,
  ),
};
