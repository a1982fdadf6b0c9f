/** The daemon under torture, with a clock that can be set, and those it talks with. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '../../test/harness/http/browser.ts';
import { type HttpReceiver, startHttpReceiver } from '../../test/harness/http/http-receiver.ts';
import { signInOwner } from '../../test/harness/http/owner.ts';
import { envelopeIn, HOOKS, trustReceivers } from '../../test/harness/http/webhooks.ts';
import type { TestAgent } from '../../test/harness/instance.ts';
import { FAKETIME, type ProcessBox, startProcessBox } from '../../test/harness/process.ts';
import { NO_TRIPWIRES } from '../bench/sending/plans.ts';
import { createLogReader, REPORTING } from '../fuzz/daemon-state.ts';
import type { Findings } from '../fuzz/findings.ts';
import type { Ledger } from './ledger.ts';

/** A key has 300 requests a minute. */
const AGENTS = 40;

export interface World extends AsyncDisposable {
  readonly box: ProcessBox;
  readonly agents: readonly TestAgent[];
  readonly owner: Browser;
  readonly hooks: HttpReceiver;
  /** Ids of the received messages that the webhook told of. */
  readonly heardIds: Set<string>;
  /** Ends the daemon and starts it again. */
  restart(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Keeps what the log says since the last look. */
  readLog(): void;
  /** Sets the daemon's clock so many seconds off the real one. */
  setClock(offSeconds: number): void;
  clockOffMs(): number;
  /** Turns the webhook on again: twenty requests that a cut breaks in a row turn it off. */
  turnHookOn(): Promise<void>;
}

const subjectOf = (raw: Buffer): string => /^Subject: (.*)\r$/m.exec(raw.toString('latin1'))?.[1] ?? '';

/** What a full disk causes, and every caller is told. */
const isFullDisk = (what: string): boolean => /disk I\/O error|disk is full|EFBIG/.test(what);

export const startWorld = async (ledger: Ledger, findings: Findings): Promise<World> => {
  const hooks = await startHttpReceiver(HOOKS);
  const heardIds = new Set<string>();
  hooks.answer((request, response) => {
    hooks.requests.length = 0;
    heardIds.add(String(envelopeIn(request).data.message_id));
    response.end();
  });
  let box: ProcessBox | null = null;
  const folder = mkdtempSync(join(tmpdir(), 'postroom-clock-'));
  const clockFile = join(folder, 'clock');
  let off = 0;
  const setClock = (offSeconds: number) => {
    off = offSeconds;
    writeFileSync(clockFile, `${off < 0 ? '' : '+'}${off}\n`);
  };
  setClock(0);
  box = await startProcessBox(
    {
      plans: NO_TRIPWIRES,
      network: trustReceivers(),
      receiver: {
        onData: ({ raw }) => {
          ledger.entry(subjectOf(raw))?.arrivals.push(performance.now());
          if (box) box.instance.receiver.messages.length = 0;
          return undefined;
        },
      },
    },
    REPORTING,
    {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_CACHE_DURATION: '1',
      NO_FAKE_STAT: '1',
    },
  );
  const { instance } = box;
  instance.dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
  const agents = [instance.agents.ann];
  while (agents.length < AGENTS) agents.push(await instance.addAgent(`agent${agents.length}`));
  const { webhooks } = instance.client(instance.agents.ann);
  await webhooks.create({
    url: `https://${HOOKS}:${hooks.port}/`,
    events: ['message.received'],
  });
  let look = createLogReader(box.daemon.output);
  const readLog = () => {
    for (const { what, line } of look())
      if (!isFullDisk(what)) findings.add('fault', what, { name: 'line 0', bytes: Buffer.from(line) });
  };
  return {
    box,
    readLog,
    restart: async (signal) => {
      await box.daemon.end(signal);
      readLog();
      await box.start();
      look = createLogReader(box.daemon.output);
    },
    agents,
    owner: await signInOwner(instance),
    hooks,
    heardIds,
    setClock,
    turnHookOn: async () => {
      const [hook] = (await webhooks.list({})).webhooks;
      if (hook && !hook.active) await webhooks.update({ id: hook.id, active: true });
    },
    clockOffMs: () => off * 1_000,
    [Symbol.asyncDispose]: async () => {
      await box[Symbol.asyncDispose]();
      await hooks.close();
      rmSync(folder, { recursive: true });
    },
  };
};
