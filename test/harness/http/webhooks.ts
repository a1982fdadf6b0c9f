/** A box whose webhooks reach an HTTPS receiver of the test's, and checks of signatures that share no code with ours. */

import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { type Clock, type Millis, systemClock } from '../../../src/kernel/clock.ts';
import { type InstanceOptions, startInstance, type TestInstance } from '../instance.ts';
import { selfSigned } from '../net/certificate.ts';
import { sendMail } from '../smtp/send-mail.ts';
import { type HttpReceiver, type ReceivedRequest, startHttpReceiver } from './http-receiver.ts';

/** The receiver's name, in the box's DNS. */
export const HOOKS = 'hooks.test';

/** The key of `[network]` by which the receivers' own authority is trusted. */
export const trustReceivers = (): string => {
  const file = join(tmpdir(), `postroom-test-ca-${process.pid}.pem`);
  writeFileSync(file, selfSigned(HOOKS).cert);
  return `extra_ca_file = "${file}"`;
};

export interface MovableClock extends Clock {
  /** Sets the clock forward. */
  pass(ms: Millis): void;
}

export const movableClock = (): MovableClock => {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    pass: (ms) => {
      ahead += ms;
    },
  };
};

export interface WebhookBox extends AsyncDisposable {
  instance: TestInstance;
  receiver: HttpReceiver;
  clock: MovableClock;
  /** The receiver's URL. */
  url(path?: string): string;
  /** A mail from outside to `ann`, which is the cause of a message.received. */
  mail(subject?: string): Promise<void>;
  /** Sets the clock forward and has the queues looked at. */
  pass(ms: Millis): void;
}

export const startWebhookInstance = async (options: InstanceOptions = {}): Promise<WebhookBox> => {
  const clock = movableClock();
  const receiver = await startHttpReceiver(HOOKS);
  const instance = await startInstance({
    ...options,
    network: trustReceivers(),
    runtime: { clock, ...options.runtime },
  });
  instance.dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
  return {
    instance,
    receiver,
    clock,
    url: (path = '/') => `https://${HOOKS}:${receiver.port}${path}`,
    mail: async (subject = 'A question') => {
      await sendMail(instance.smtpPort, { to: [instance.agents.ann.address], headers: { Subject: subject } });
    },
    pass: (ms) => {
      clock.pass(ms);
      instance.daemon.webhooks.wake();
    },
    [Symbol.asyncDispose]: async () => {
      await instance[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
};

export interface ReadEnvelope {
  id: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export const envelopeIn = ({ body }: ReceivedRequest): ReadEnvelope => JSON.parse(body.toString()) as ReadEnvelope;

const headerOf = ({ headers }: ReceivedRequest, name: string): string => {
  const value = headers[name];
  if (typeof value !== 'string') throw new Error(`No header ${name}`);
  return value;
};

/** What is wrong with a request's signatures, by the interface's words and by the Standard Webhooks library; null: nothing. */
export const faultOfSignature = (request: ReceivedRequest, secret: string): string | null => {
  const [t, ...digests] = headerOf(request, 'x-svc-signature').split(',');
  const seconds = t?.replace(/^t=/, '') ?? '';
  const expected = createHmac('sha256', secret).update(`${seconds}.${request.body.toString('latin1')}`, 'latin1');
  const digest = expected.digest('hex');
  if (!digests.includes(`v1=${digest}`)) return 'x-svc-signature';
  if (headerOf(request, 'x-webhook-timestamp') !== seconds) return 'x-webhook-timestamp';
  try {
    new StandardWebhook(secret).verify(request.body, {
      'webhook-id': headerOf(request, 'webhook-id'),
      'webhook-timestamp': headerOf(request, 'webhook-timestamp'),
      'webhook-signature': headerOf(request, 'webhook-signature'),
    });
  } catch (error) {
    // Its verifier reads the real clock, and parses as JSON what it has verified.
    const reason = error instanceof Error ? error.message : String(error);
    if (!/timestamp/i.test(reason)) return `standard: ${reason}`;
  }
  return null;
};

/** The one digest of the bare header is the newest secret's. */
export const isNewestDigest = (request: ReceivedRequest, secret: string): boolean => {
  const signed = Buffer.concat([Buffer.from(`${headerOf(request, 'x-webhook-timestamp')}.`), request.body]);
  return headerOf(request, 'x-webhook-signature-v2') === createHmac('sha256', secret).update(signed).digest('hex');
};
