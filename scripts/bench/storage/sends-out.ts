/** Sends by REST through the boxes of an installation, to many destinations, until the receiving host has them all. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { TestInstance } from '../../../test/harness/instance.ts';
import type { SmtpSink } from '../sending/smtp-sink.ts';

const DESTINATIONS = Array.from({ length: 64 }, (_, number) => `d${number}.test`);
const AT_ONCE = 16;
/** A key has 300 requests a minute. */
const SENDS_OF_KEY = 250;
const POLL_MS = 10;

/** @returns sends so many, and resolves once they have been received */
export const prepareSends = async (
  instance: TestInstance,
  origins: readonly string[],
  sink: SmtpSink,
  { most, text }: { most: number; text: string },
): Promise<(count: number, signal: AbortSignal) => Promise<void>> => {
  const { zone } = instance.dns;
  for (const domain of DESTINATIONS) {
    zone.set(domain, 'MX', [{ exchange: `mx.${domain}`, priority: 10 }]);
    zone.set(`mx.${domain}`, 'A', ['127.0.0.1']);
  }
  const keys: string[] = [];
  for (let at = 0; at <= most / SENDS_OF_KEY; at += 1) keys.push((await instance.addAgent(`sender${at}`)).key);
  let number = 0;
  const sendOne = async (): Promise<void> => {
    const at = number;
    number += 1;
    const headers = {
      authorization: `Bearer ${keys[Math.floor(at / SENDS_OF_KEY)]}`,
      'content-type': 'application/json',
    };
    const to = [`r${at}@${DESTINATIONS[at % DESTINATIONS.length]}`];
    const body = JSON.stringify({ to, subject: `Mail ${at}`, body: `${at}\n\n${text}` });
    const response = await fetch(new URL('/v1/messages', origins[at % origins.length]), {
      method: 'POST',
      headers,
      body,
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  return async (count, signal) => {
    const goal = sink.taken() + count;
    const end = number + count;
    const lane = async (): Promise<void> => {
      while (number < end && !signal.aborted) await sendOne();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    while (sink.taken() < goal) await sleep(POLL_MS, undefined, { signal });
  };
};
