/** Bounces and complaints as other hosts send them, in their standard forms, and what a box made of them. */

import type { TestInstance } from '../instance.ts';

const CRLF = (text: string): string => text.replace(/\r?\n/g, '\r\n');

export interface BounceFacts {
  recipient: string;
  action?: string;
  status?: string;
  diagnostic?: string;
}

/** A delivery status notification (RFC 3464). */
export const deliveryReport = ({
  recipient,
  action = 'failed',
  status = '5.1.1',
  diagnostic = `smtp; 550 ${status} <${recipient}>: User unknown`,
}: BounceFacts): string =>
  CRLF(`From: Mail Delivery System <MAILER-DAEMON@mx.remote.test>
To: sender@example
Subject: Undelivered Mail Returned to Sender
Date: Mon, 16 Nov 2026 10:00:00 +0000
Message-ID: <${crypto.randomUUID()}@mx.remote.test>
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Type: text/plain

This is the mail system at host mx.remote.test.

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.remote.test

Final-Recipient: rfc822; ${recipient}
Action: ${action}
Status: ${status}
Diagnostic-Code: ${diagnostic}

--b1
Content-Type: text/rfc822-headers

Subject: Hi

--b1--
`);

/** A feedback report (RFC 5965). */
export const feedbackReport = (type: string, returnPath: string): string =>
  CRLF(`From: <feedback@remote.test>
To: sender@example
Subject: FW: Hi
Date: Mon, 16 Nov 2026 10:00:00 +0000
Message-ID: <${crypto.randomUUID()}@remote.test>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="f1"

--f1
Content-Type: text/plain

This is an email abuse report.

--f1
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <${returnPath}>

--f1
Content-Type: message/rfc822

Return-Path: <${returnPath}>
From: ann@acme.agents.box.test
Subject: Hi

Hi
--f1--
`);

export const eventsNamed = async (instance: TestInstance, name: string) =>
  (await instance.events()).filter((event) => event.name === name);

/** Ann's workspace's. */
export const suppressions = async (instance: TestInstance) =>
  (await instance.client(instance.agents.ann).suppressions.list({})).suppressions;

/** Of every bounce so far, oldest first. */
export const bouncedTypes = async (instance: TestInstance) =>
  (await eventsNamed(instance, 'message.bounced')).map(({ data }) => data.bounce_type);
