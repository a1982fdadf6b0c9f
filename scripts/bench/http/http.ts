/** Answers a second over REST, beside a bare Fastify route with the same bytes, and of the same list over MCP. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { currentHeaders, currentMessage } from '../../../test/harness/mcp/current-request.ts';
import type { ProcessBox } from '../../../test/harness/process.ts';
import type { Bench } from '../bench.ts';
import { cpuSeconds } from '../process-usage.ts';
import { startProfiled } from '../profiled.ts';
import { addKeys } from '../search/asked-mailbox.ts';
import { createSender, SENDER } from '../sender.ts';
import { sendLoad } from '../smtp-source.ts';
import { median, threeDigits } from '../table.ts';
import type { BareAnswer } from './bare-server.ts';
import { measureHttp } from './wrk.ts';

const MAILS = 40;
const REPLIES = 5;
/** At 300 requests a minute they bear 4 000 a second for half a minute. */
const KEYS = 400;
const SECONDS = 3;
const LIST = { limit: 20 };

/** @returns its paths, the list, a mail, a thread; and what stands in each answer */
const fill = async (
  { instance }: ProcessBox,
  signal: AbortSignal,
): Promise<{ paths: Record<string, string>; word: string }> => {
  const { ann } = instance.agents;
  const sender = await createSender(instance.dns.zone);
  const mails = await sender.write(MAILS, ann.address, 'http', false);
  const load = { ports: [instance.smtpPort], from: SENDER, to: ann.address, mails, sessions: 4, keptConnections: true };
  await sendLoad(load, signal);
  const client = instance.client(ann);
  const [first] = (await client.messages.list(LIST)).messages;
  if (!first) throw new Error('No mail came.');
  for (let at = 0; at < REPLIES; at += 1) await client.messages.reply({ id: first.id, body: `Answer ${at}.` });
  return {
    paths: {
      'list of 20': `/v1/messages?limit=${LIST.limit}`,
      'one message': `/v1/messages/${first.id}`,
      'a thread': `/v1/threads/${first.thread_id}`,
    },
    word: first.id,
  };
};

const startBare = async (answers: readonly BareAnswer[]): Promise<{ child: ChildProcess; port: number }> => {
  const child = fork(new URL('./bare-server.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send(answers);
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
};

export const http: Bench = {
  name: 'http',
  summary: 'answers a second over REST and MCP, beside a bare Fastify route with the same bytes',
  run: async ({ rounds, profile }, signal, say) => {
    await using box = await startProfiled(profile);
    const { baseUrl } = box.instance;
    const { paths, word } = await fill(box, signal);
    const keys = await addKeys(box.instance, 'ann', KEYS);
    const headers = { authorization: `Bearer ${keys[0]}` };
    const answers = await Promise.all(
      Object.values(paths).map(async (path) => ({
        path: path.replace(/\?.*$/, ''),
        body: await (await fetch(new URL(path, baseUrl), { headers })).text(),
      })),
    );
    const { child, port } = await startBare(answers);
    using _ = { [Symbol.dispose]: () => void child.kill('SIGKILL') };
    const call = currentMessage('tools/call', { name: 'list_messages', arguments: LIST });
    const mcp = {
      url: `${baseUrl}/mcp`,
      body: JSON.stringify(call),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...currentHeaders('tools/call', 'list_messages'),
      },
    };
    let rates: Record<string, number[]> = {};
    let costs: Record<string, number[]> = {};
    const measure = async (name: string, load: Pick<Parameters<typeof measureHttp>[0], 'url' | 'body' | 'headers'>) => {
      const before = cpuSeconds(box.daemon.pid);
      const rate = await measureHttp({ keys, word, seconds: SECONDS, ...load }, signal);
      const cost = ((cpuSeconds(box.daemon.pid) - before) * 1_000) / (rate * SECONDS);
      rates[name] = [...(rates[name] ?? []), rate];
      costs[name] = [...(costs[name] ?? []), cost];
      say(`${name}: ${Math.round(rate)} a second`);
    };
    // The first is to warm up.
    for (let round = 0; round <= rounds; round += 1) {
      if (round === 1) [rates, costs] = [{}, {}];
      for (const [name, path] of Object.entries(paths)) {
        await measure(name, { url: new URL(path, baseUrl).href });
        await measure(`${name}, bare`, { url: `http://127.0.0.1:${port}${path}` });
      }
      await measure('list of 20, MCP', mcp);
    }
    const rateOf = (name: string) => Math.round(median(rates[name] ?? []));
    const costOf = (name: string) => threeDigits(median(costs[name] ?? []));
    const ratioOf = (name: string, peer: string) =>
      threeDigits(median((rates[name] ?? []).map((rate, round) => rate / (rates[peer]?.[round] ?? Number.NaN))));
    const compared = [
      ...Object.keys(paths).map((name) => [name, `${name}, bare`, `REST, ${name}, to a bare Fastify route`] as const),
      ['list of 20, MCP', 'list of 20', 'MCP, list of 20, to REST'] as const,
    ];
    const ratios = compared.map(([name, peer, title]) => [title, ratioOf(name, peer)] as const);
    const rows = compared.map(([name, peer]) => [
      ...[name, rateOf(name), rateOf(peer), ratioOf(name, peer), costOf(name)],
    ]);
    return {
      tables: [
        {
          title: 'Answers a second, medians; ratio is the median of each round’s own',
          columns: ['what', 'a second', 'peer', 'ratio', 'CPU ms'],
          rows,
        },
      ],
      document: { rows },
      figures: {
        ...Object.fromEntries(
          ratios.map(([title, value]) => [title, { value, goal: title.startsWith('MCP') ? 0.7 : 0.3 }]),
        ),
        'REST, list of 20, CPU ms': { value: costOf('list of 20'), goal: 0.45, isLessBetter: true },
      },
    };
  },
};
