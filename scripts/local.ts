/** `install.sh --local`: an instance in data/ with two agents, run in the foreground on loopback. Run again, it goes on. */

import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Instance, openInstance } from '../src/app/instance.ts';
import { type CallOperation, createOperatorCalls } from '../src/app/operator-calls.ts';
import { loadConfig } from '../src/cli/config-file.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { toFailure } from '../src/cli/failure.ts';
import { onFreePorts } from '../src/cli/free-ports.ts';
import { createLog } from '../src/cli/log.ts';
import { tomlString, writeNewConfig } from '../src/cli/new-instance.ts';
import { runDaemon } from '../src/cli/run-daemon.ts';
import { missingVaultKey } from '../src/cli/with-operations.ts';
import type { Config } from '../src/config/config.ts';
import { agentsContract } from '../src/resources/agents/contract.ts';
import { keysContract } from '../src/resources/agents/keys/contract.ts';
import { ownersContract } from '../src/resources/owners/contract.ts';
import { workspacesContract } from '../src/resources/workspaces/contract.ts';
import { writeKeyFile } from '../src/seal/key-file.ts';

/** The checkout's own folder, or the one that a test names. */
const DATA = resolve(process.argv[2] ?? join(import.meta.dirname, '../data'));
const CONFIG = join(DATA, 'postroom.toml');

const SLUG = 'local';
/** Of this machine alone: no mail reaches it, so that it signs in by the links that are printed. */
const OWNER = 'owner@localhost';
const HANDLES = ['alice', 'bob'] as const;
/** The key that an agent begins with, and what earlier versions called it. */
const KEY_NAME = 'default';
const KEY_NAMES = [KEY_NAME, 'local'];
const LOOPBACK = '127.0.0.1';

/** `.localhost` is reserved (RFC 6761 section 6.3): none of these names resolves anywhere else. */
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

interface LocalAgent {
  handle: string;
  address: string;
  key: string;
}

/** Only hashes of keys are kept, so each run gives new ones; they take the place of the last run's. */
const newKey = async (call: CallOperation, agent: string): Promise<string> => {
  const { keys } = await call(keysContract.list, { agent });
  for (const { id, name, revoked_at } of keys) {
    if (KEY_NAMES.includes(name) && revoked_at === null) await call(keysContract.revoke, { key_id: id });
  }
  return (await call(keysContract.add, { agent, name: KEY_NAME })).key;
};

const provideAgents = async (instance: Instance): Promise<LocalAgent[]> => {
  if (!instance.vaultKey) throw missingVaultKey(instance.config);
  const call = createOperatorCalls(instance, 'install');
  const { workspaces } = await call(workspacesContract.list, {});
  if (!workspaces.some(({ slug }) => slug === SLUG)) {
    await call(workspacesContract.add, {
      name: SLUG,
      owner_email: OWNER,
      plan: 'unlimited',
      verified: true,
    });
  }
  const known = (await call(agentsContract.list, { workspace: SLUG })).agents;
  const agents: LocalAgent[] = [];
  for (const handle of HANDLES) {
    const found = known.find((agent) => agent.handle === handle);
    if (found) {
      agents.push({ handle, address: found.address, key: await newKey(call, handle) });
    } else {
      const { address, api_key: key } = await call(agentsContract.add, { handle, workspace: SLUG });
      agents.push({ handle, address, key });
    }
  }
  return agents;
};

const printSignInLink = async (instance: Instance): Promise<string> => {
  const call = createOperatorCalls(instance, 'install');
  return (await call(ownersContract.addSignInLink, { email: OWNER })).url;
};

const welcome = (
  { public_url, smtp, data_dir }: Config,
  [from, to]: readonly LocalAgent[],
  signInUrl: string,
): string => {
  if (!from || !to) throw new Error('Two agents were to be there.');
  const mail = JSON.stringify({
    to: [to.address],
    subject: 'Hello',
    body: `Hello ${to.handle}, this is ${from.handle}.`,
  });
  const width = Math.max(from.address.length, to.address.length);
  const config = relative(process.cwd(), CONFIG) || CONFIG;
  return `
Postroom is ready, on this machine alone.

  HTTP   ${public_url}
  SMTP   ${smtp.listen.map(({ host, port }) => `${host}:${port}`).join(', ')}
  data   ${data_dir}

${[from, to].map(({ address, key }) => `  ${address.padEnd(width)}  ${key}`).join('\n')}

Open the console: the link signs you in, once, within 15 minutes.

  ${signInUrl}

Another one, in another terminal:  ./scripts/postroom owners sign-in-link ${OWNER} --config ${config}

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
  const instance = await openInstance(config, { lock: true });
  const agents = await provideAgents(instance);
  const signInUrl = await printSignInLink(instance);
  await instance.close();
  await runDaemon(config, createLog(false), () => process.stdout.write(`${welcome(config, agents, signInUrl)}\n`));
};

try {
  await main();
  process.exit(EXIT.done);
} catch (error) {
  const { exitCode, text } = toFailure(error);
  process.stderr.write(`install.sh: ${text}\n`);
  process.exit(exitCode);
}
