/** `node scripts/fuzz/main.ts --seconds N [--seed S] [--only dns]`: damaged SMTP, mail, REST and DNS against a daemon of its own. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TestAgent, TestInstance } from '../../test/harness/instance.ts';
import { selfSigned } from '../../test/harness/net/certificate.ts';
import { freePort } from '../../test/harness/net/free-port.ts';
import { startProcessBox } from '../../test/harness/process.ts';
import { REPORTING } from './daemon-state.ts';
import { Findings } from './findings.ts';
import type { AgentCaller, KnownOperation } from './rest-calls.ts';
import { formatMemory, KINDS, type Kind, run } from './run.ts';
import { readSeedMails } from './seed-mails.ts';

const USAGE = `Usage: node scripts/fuzz/main.ts [--seconds N] [--seed S] [--only KIND]

Starts a daemon on a directory of its own and sends it hostile input. Exit code 1 where anything is found: a crash, an
error in its log, a session that hangs, a 5xx, another tenant's call that takes over 5 s, memory or sockets that stay. The
inputs are kept below $TMPDIR (default /tmp).

  --seconds N   how long, 10 to 86400 (default 60)
  --seed S      the same inputs again (default: by the clock)
  --only KIND   one kind of input: ${KINDS.join(', ')} (default: all)`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const wholeNumber = (name: 'seconds' | 'seed', least: number, most: number): number => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`--${name} is a whole number from ${least} to ${most}\n\n${USAGE}`);
};

/** Enough keys that a minute's requests of one are not soon spent, in several workspaces. */
const AGENTS = 24;
const WORKSPACES = 4;

const agentsOf = async (instance: TestInstance): Promise<TestAgent[]> => {
  const agents = [instance.agents.ann, instance.agents.bob];
  const workspaces = [instance.workspace];
  for (let at = workspaces.length; at < WORKSPACES; at += 1) workspaces.push(await instance.addWorkspace(`Fuzz ${at}`));
  for (let at = agents.length; at < AGENTS; at += 1) {
    agents.push(await instance.addAgent(`fuzz${at}`, workspaces[at % WORKSPACES]));
  }
  return agents;
};

const getJson = <T>(port: number, path: string, key: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    https
      .get({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(JSON.parse(text) as T));
      })
      .on('error', reject);
  });

/** Streams and waits answer when something happens: they are open for as long as they are meant to be. */
const isAnswered = ({ path }: KnownOperation): boolean => !/\/events|\/wait/.test(path);

interface Described {
  parameters?: { name: string; in: string }[];
}

const operationsOf = async (port: number): Promise<KnownOperation[]> => {
  const { paths } = await getJson<{ paths: Record<string, Record<string, Described>> }>(port, '/openapi.json', '');
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.flatMap((parameter) => (parameter.in === 'query' ? [parameter.name] : [])),
    })),
  );
  const unknown = ['/{anything}', '/v1/{anything}'].map((path) => ({ method: 'GET', path, parameters: [] }));
  return [...all, ...unknown].filter(isAnswered);
};

const kindsOf = (only: string | undefined): readonly Kind[] => {
  const kinds = KINDS.filter((kind) => only === undefined || kind === only);
  if (kinds.length > 0) return kinds;
  throw new Error(`--only is one of ${KINDS.join(', ')}\n\n${USAGE}`);
};

const fuzz = async (): Promise<boolean> => {
  const kinds = kindsOf(values.only);
  const seconds = wholeNumber('seconds', 10, 86_400);
  const seed = wholeNumber('seed', 0, 2 ** 32);
  const directory = mkdtempSync(join(tmpdir(), 'postroom-fuzz-'));
  const { key, cert } = selfSigned('mx.box.test');
  for (const [name, pem] of Object.entries({ 'key.pem': key, 'cert.pem': cert }))
    writeFileSync(join(directory, name), pem);
  console.log(`seed ${seed}, ${seconds} s, findings in ${directory}`);

  const findings = new Findings(directory);
  await using instance = await startProcessBox(
    {
      tls: `mode = "files"\ncert_file = "${join(directory, 'cert.pem')}"\nkey_file = "${join(directory, 'key.pem')}"`,
      smtp: 'limits = { unknown_recipient_delay_seconds = 0 }',
      toml: `[dns.server]\nlisten = ["127.0.0.1:${await freePort()}"]\n`,
    },
    REPORTING,
  );
  const agents = await agentsOf(instance.instance);
  const canary = await instance.instance.addAgent('canary', await instance.instance.addWorkspace('Canary'));
  const { smtp, http, dns, base_domain: zone } = instance.instance.config;
  const httpPort = http.listen[0]?.port ?? 0;
  const callers = await Promise.all(
    agents.map(async (agent): Promise<AgentCaller> => {
      const { mailbox_id } = await getJson<{ mailbox_id: string }>(httpPort, '/v1/identity', agent.key);
      return { key: agent.key, ids: [mailbox_id] };
    }),
  );
  const { sessions, requests, statuses, warm, end } = await run(
    instance,
    {
      kinds,
      seconds,
      seed,
      mails: readSeedMails(),
      recipients: agents.map(({ address }) => address),
      callers,
      canary: { caller: { key: canary.key, ids: [] }, address: canary.address },
      operations: await operationsOf(httpPort),
      httpPort,
      smtpPort: smtp.listen[0]?.port ?? 0,
      dns: { port: dns.server.listen[0]?.port ?? 0, zone },
    },
    findings,
  );
  console.log(`${sessions} SMTP sessions, ${requests} requests`);
  console.log(
    [...statuses]
      .sort()
      .map(([name, times]) => `${name}: ${times}`)
      .join(', '),
  );
  console.log(
    `warm: ${formatMemory(warm)}, ${warm.sockets} sockets; end: ${formatMemory(end)}, ${end.sockets} sockets`,
  );
  for (const { what, times } of findings) console.log(`${times} times ${what.split('\n', 1)[0]}`);
  return findings.count === 0;
};

if (values.help) console.log(USAGE);
else process.exitCode = (await fuzz()) ? 0 : 1;
