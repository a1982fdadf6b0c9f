/** CPU that a send by REST costs the daemon, delivery included: as Markdown, and with HTML beside it. */

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { cpuSeconds } from '../process-usage.ts';
import { startProfiled } from '../profiled.ts';
import { median, threeDigits } from '../table.ts';
import { NO_TRIPWIRES } from './plans.ts';
import { startSmtpSink } from './smtp-sink.ts';

const EVERYDAY = new URL('../../../test/everyday/', import.meta.url);
const TEXT = readFileSync(new URL('newsletter.txt', EVERYDAY), 'utf8');
const PAGES = ['airline', 'shop', 'newsletter', 'outlook', 'parcel', 'bank'].map((name) =>
  readFileSync(new URL(`${name}.html`, EVERYDAY), 'utf8'),
);
const WARM_UP = 150;
const SENDS = 400;
const AT_ONCE = 4;
const SENDS_OF_KEY = 250;
const POLL_MS = 10;

const KINDS: readonly [name: string, html: (at: number) => string | undefined][] = [
  ['Markdown', () => undefined],
  ['Markdown and HTML', (at) => PAGES[at % PAGES.length]],
];

export const htmlSends: Bench = {
  name: 'html-sends',
  summary: 'CPU of a send with HTML and without',
  run: async ({ rounds, profile }, signal, say) => {
    await using sink = await startSmtpSink();
    await using box = await startProfiled(profile, { plans: NO_TRIPWIRES, outbound: `port = ${sink.port}` });
    const url = new URL('/v1/messages', box.instance.baseUrl);
    // A key has 300 requests a minute.
    const keys: string[] = [];
    const most = KINDS.length * (WARM_UP + AT_ONCE + rounds * SENDS);
    for (let at = 0; at <= most / SENDS_OF_KEY; at += 1) keys.push((await box.instance.addAgent(`agent${at}`)).key);
    let number = 0;
    const sendOne = async (html: string | undefined): Promise<void> => {
      number += 1;
      const headers = {
        authorization: `Bearer ${keys[Math.floor(number / SENDS_OF_KEY)]}`,
        'content-type': 'application/json',
      };
      const mail = { to: [`r${number}@remote.test`], subject: `Mail ${number}`, body: `${number}\n\n${TEXT}`, html };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(mail) });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    };
    const sendAll = async (count: number, htmlOf: (at: number) => string | undefined): Promise<number> => {
      const before = cpuSeconds(box.daemon.pid);
      const goal = sink.taken() + count;
      for (let at = 0; at < count; at += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, (_, each) => sendOne(htmlOf(at + each))));
      }
      while (sink.taken() < goal) await sleep(POLL_MS, undefined, { signal });
      return ((cpuSeconds(box.daemon.pid) - before) * 1_000) / count;
    };
    const costs = new Map<string, number[]>(KINDS.map(([name]) => [name, []]));
    for (const [, htmlOf] of KINDS) await sendAll(WARM_UP + (AT_ONCE - (WARM_UP % AT_ONCE)), htmlOf);
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, htmlOf] of KINDS) {
        signal.throwIfAborted();
        say(`round ${round}, ${name}`);
        costs.get(name)?.push(await sendAll(SENDS, htmlOf));
      }
    }
    const plain = median(costs.get('Markdown') ?? []);
    const rows = [...costs].map(([name, each]) =>
      [name, median(each), median(each) / plain].map((cell) => (typeof cell === 'number' ? threeDigits(cell) : cell)),
    );
    const columns = ['send', 'ms of CPU', 'times'];
    return {
      tables: [{ title: 'CPU of the daemon for a send and its delivery', columns, rows }],
      document: { columns, rows },
      figures: {
        'a send and its delivery, CPU ms': { value: threeDigits(plain), goal: 3, isLessBetter: true },
      },
    };
  },
};
