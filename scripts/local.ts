/** `install.sh --local`: a box in data/ with two agents, run in the foreground on loopback. Run again, it goes on. */

import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { type Box, openBox } from '../src/box.ts';
import { loadConfig } from '../src/cli/config-file.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { failureOf } from '../src/cli/failure.ts';
import { createLog } from '../src/cli/log.ts';
import { tomlString, writeNewConfig } from '../src/cli/new-box.ts';
import { requireVaultKey } from '../src/cli/open-box.ts';
import { runDaemon } from '../src/cli/run-daemon.ts';
import type { Config } from '../src/kernel/config.ts';
import type { ListenAddress } from '../src/kernel/config-values.ts';
import { addAgent, addKey } from '../src/resources/mailboxes/agents.ts';
import { addWorkspace } from '../src/resources/owner/workspaces.ts';
import { writeKeyFile } from '../src/seal/key-file.ts';
import { findAgent } from '../src/store/agents.ts';
import { listDomains } from '../src/store/domains.ts';
import { lockDataDirectory } from '../src/store/sqlite/lock.ts';
import { findWorkspaces, type Workspace } from '../src/store/workspaces.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DATA = join(ROOT, 'data');
const CONFIG = join(DATA, 'postroom.toml');

const SLUG = 'local';
const HANDLES = ['alice', 'bob'] as const;
const KEY_NAME = 'local';
const LOOPBACK = '127.0.0.1';
/** A port that is taken is passed over; past so many something else is wrong. */
const MAX_PORTS_TRIED = 100;

/** `.localhost` is nobody's (RFC 6761 section 6.3): none of these names leads anywhere else. */
const LOCAL_CONFIG = `\
# Written by install.sh --local. Where a port below is taken, the next free one is used and printed.
# What is not here has its default; config/postroom.example.toml explains every key.
hostname = "mx.postroom.localhost"
base_domain = "agents.localhost"
public_url = "http://${LOOPBACK}:8025"
data_dir = ${tomlString(DATA)}

[vault]
key_file = ${tomlString(join(DATA, 'vault.key'))}

[http]
listen = ["${LOOPBACK}:8025"]
private_listen = "${LOOPBACK}:8026"

[tls]
mode = "off"

[smtp]
listen = ["${LOOPBACK}:2525"]
`;

/** Makes what is missing. A key that is missing beside a database is lost, and a new one would open nothing of it. */
const readyConfig = (): Config => {
  mkdirSync(DATA, { recursive: true });
  // The checkout's folder is everybody's to read; mail is not.
  chmodSync(DATA, 0o700);
  if (!existsSync(CONFIG)) writeNewConfig(CONFIG, LOCAL_CONFIG);
  const { config } = loadConfig({ flag: CONFIG });
  const hasData = existsSync(config.storage.url.file);
  if (!hasData && !existsSync(config.vault.key_file)) writeKeyFile(config.vault.key_file);
  return config;
};

const isFree = ({ host, port }: ListenAddress): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, host, () => server.close(() => done(true)));
  });

/** The listeners of the config, each moved to the next port that is free and that none before it has taken. */
const onFreePorts = async (config: Config): Promise<Config> => {
  const taken = new Set<number>();
  const free = async (wanted: ListenAddress): Promise<ListenAddress> => {
    for (let port = wanted.port; port < Math.min(wanted.port + MAX_PORTS_TRIED, 65_536); port++) {
      if (taken.has(port) || !(await isFree({ ...wanted, port }))) continue;
      taken.add(port);
      return { ...wanted, port };
    }
    throw new Error(`No port is free from ${wanted.port} on at ${wanted.host}.`);
  };
  const each = async (addresses: readonly ListenAddress[]): Promise<ListenAddress[]> => {
    const found: ListenAddress[] = [];
    for (const address of addresses) found.push(await free(address));
    return found;
  };
  const http = { ...config.http, listen: await each(config.http.listen) };
  http.private_listen = await free(config.http.private_listen);
  const smtp = { ...config.smtp, listen: await each(config.smtp.listen) };
  const first = http.listen[0];
  return { ...config, http, smtp, public_url: first ? `http://${first.host}:${first.port}` : config.public_url };
};

const localWorkspace = async (box: Box): Promise<Workspace> => {
  const { store, newId, config, surroundings } = box;
  const found = (await findWorkspaces(store.read, SLUG)).find(({ slug }) => slug === SLUG);
  if (found) return found;
  return addWorkspace(
    { store, newId, clock: surroundings.clock, vaultKey: requireVaultKey(box), baseDomain: config.base_domain },
    { name: SLUG, ownerEmail: 'owner@localhost', plan: 'unlimited', verified: true },
  );
};

interface LocalAgent {
  handle: string;
  address: string;
  key: string;
}

/** Only hashes of keys are kept, so each run gives new ones; they take the place of the last run's. */
const provideAgents = async (box: Box): Promise<LocalAgent[]> => {
  const { store, newId, surroundings } = box;
  const needs = { store, newId, clock: surroundings.clock };
  const workspace = await localWorkspace(box);
  const domain = (await listDomains(store.read, workspace.id)).find(({ kind }) => kind === 'subdomain');
  if (!domain) throw new Error(`The workspace ${workspace.slug} has no subdomain.`);
  const agents: LocalAgent[] = [];
  for (const handle of HANDLES) {
    const wanted = { workspace, domain, handle, displayName: null, description: null };
    const { id, address } = (await findAgent(store.read, handle)) ?? (await addAgent(needs, wanted));
    const key = { agentId: id, name: KEY_NAME, scopes: null, expiresAt: null, replaces: true };
    agents.push({ handle, address, key: (await addKey(needs, key)).key });
  }
  return agents;
};

const welcome = ({ public_url, smtp, data_dir }: Config, [from, to]: readonly LocalAgent[]): string => {
  if (!from || !to) throw new Error('Two agents were to be there.');
  const mail = JSON.stringify({
    to: [to.address],
    subject: 'Hello',
    body: `Hello ${to.handle}, this is ${from.handle}.`,
  });
  const config = relative(process.cwd(), CONFIG) || CONFIG;
  return `
Postroom is ready, on this machine alone.

  HTTP   ${public_url}
  SMTP   ${smtp.listen.map(({ host, port }) => `${host}:${port}`).join(', ')}
  data   ${data_dir}

  ${from.address}  ${from.key}
  ${to.address}  ${to.key}

Send a mail from ${from.handle} to ${to.handle}:

  curl -sS ${public_url}/v1/messages -H 'Authorization: Bearer ${from.key}' -H 'Content-Type: application/json' -d '${mail}'

List the mail of ${to.handle}:

  curl -sS ${public_url}/v1/messages -H 'Authorization: Bearer ${to.key}'

The CLI, in another terminal:  ./scripts/postroom agents list --config ${config}
Ctrl-C ends it. Run again, it goes on with these agents and gives each a new key.
`;
};

const main = async (): Promise<void> => {
  const config = await onFreePorts(readyConfig());
  // Before anything is changed: a daemon that runs here already keeps the keys it has shown.
  const lock = lockDataDirectory(config.data_dir);
  const box = openBox(config);
  const agents = await provideAgents(box);
  await box.close();
  lock.release();
  await runDaemon(config, createLog(false), () => process.stdout.write(`${welcome(config, agents)}\n`));
};

try {
  await main();
  process.exit(EXIT.done);
} catch (error) {
  const { exitCode, text } = failureOf(error);
  process.stderr.write(`install.sh: ${text}\n`);
  process.exit(exitCode);
}
