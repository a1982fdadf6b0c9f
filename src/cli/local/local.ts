/**
 * `install.sh --local [--internet]`: an instance in data/ with two agents, in the foreground on loopback. A later run
 * continues with its data.
 */

import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Instance, openInstance } from '../../app/instance.ts';
import { createOperatorCalls } from '../../app/operator-calls.ts';
import { PROJECT_ROOT } from '../../kernel/files/project-root.ts';
import { ownersContract } from '../../resources/owners/contract.ts';
import { LockedError } from '../../store/store-errors.ts';
import { missingVaultKey } from '../command.ts';
import { loadConfig } from '../config-file.ts';
import { EXIT, refused, toFailure } from '../failure.ts';
import { createLog } from '../log.ts';
import { runDaemon } from '../run-daemon.ts';
import { type LocalAgent, OWNER, provideAgents } from './local-agents.ts';
import { type LocalConfig, prepareConfig } from './local-config.ts';

const INVITATION = `Open the console, signed in as ${OWNER}, for once and within 15 minutes:`;

/** @param signInLink to the console, valid once */
const welcome = ({ config, path }: LocalConfig, [from, to]: readonly LocalAgent[], signInLink: string): string => {
  if (!from || !to) throw new Error('Two agents were to be there.');
  const { public_url, smtp, data_dir, outbound } = config;
  const mail = JSON.stringify({
    to: [to.address],
    subject: 'Hello',
    body: `Hello ${to.handle}, this is ${from.handle}.`,
  });
  const tools = { url: `${public_url}/mcp?tools=core`, headers: { Authorization: `Bearer ${from.key}` } };
  const width = Math.max(from.address.length, to.address.length);
  const flag = `--config ${relative(process.cwd(), path) || path}`;
  return `
Postroom is ready, on this machine alone.

  HTTP   ${public_url}
  SMTP   ${smtp.listen.map(({ host, port }) => `${host}:${port}`).join(', ')}
  data   ${data_dir}
  mail   ${outbound.local_only ? 'between these agents alone; --internet lets it leave this machine' : 'may leave this machine'}

${INVITATION}

  ${signInLink}

${[from, to].map(({ address, key }) => `  ${address.padEnd(width)}  ${key}`).join('\n')}

Send a mail from ${from.handle} to ${to.handle}:

  curl -sS ${public_url}/v1/messages -H 'Authorization: Bearer ${from.key}' -H 'Content-Type: application/json' -d '${mail}'

List the mail of ${to.handle}:

  curl -sS ${public_url}/v1/messages -H 'Authorization: Bearer ${to.key}'

Give an MCP client the tools of ${from.handle}:

  ${JSON.stringify({ mcpServers: { postroom: tools } })}

The CLI, in another terminal:  ./scripts/postroom agents list ${flag}
A further sign-in link:        ./install.sh --local, in another terminal
Ctrl-C ends it. Run again, it goes on with these agents and their keys.
`;
};

/** The folder of the checkout, or one that a test names. */
const readArguments = () => {
  const { values, positionals } = parseArgs({ options: { internet: { type: 'boolean' } }, allowPositionals: true });
  return {
    data: resolve(positionals[0] ?? fileURLToPath(new URL('data', PROJECT_ROOT))),
    internet: values.internet ?? false,
  };
};

/** Prints where a running daemon is, and a sign-in link to it; it keeps its config and keys. */
const printRunning = async ({ path }: LocalConfig, internet: boolean): Promise<void> => {
  const { config } = loadConfig({ flag: path });
  const instance = await openInstance(config);
  const { call, close } = createOperatorCalls(instance, 'install');
  const { url } = await call(ownersContract.addSignInLink, { email: OWNER });
  await close();
  await instance.close();
  const isLate = internet && config.outbound.local_only;
  process.stdout.write(`
Postroom runs already, at ${config.public_url}, with its data in ${config.data_dir}.
${isLate ? '--internet is for a new start: end it with Ctrl-C in its terminal, then run this again.\n' : ''}
${INVITATION}

  ${url}

`);
};

/** @throws CommandError where a daemon uses the data directory, after printing a link to it */
const openLocked = async (local: LocalConfig, internet: boolean): Promise<Instance> => {
  try {
    return await openInstance(local.config, { lock: true, migrates: true });
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    await printRunning(local, internet);
    throw refused(`${error.message} A second one does not start; the link above leads to the first.`);
  }
};

const main = async (): Promise<void> => {
  const { data, internet } = readArguments();
  const local = await prepareConfig(data, internet);
  const { config } = local;
  const instance = await openLocked(local, internet);
  if (!instance.vaultKey) throw missingVaultKey(config);
  local.save();
  const { call } = createOperatorCalls(instance, 'install');
  const agents = await provideAgents(instance, call, data);
  const { url } = await call(ownersContract.addSignInLink, { email: OWNER });
  await instance.close();
  await runDaemon(config, await createLog(false), {
    ready: () => process.stdout.write(`${welcome(local, agents, url)}\n`),
  });
};

try {
  await main();
  process.exit(EXIT.done);
} catch (error) {
  const { exitCode, text } = toFailure(error);
  process.stderr.write(`install.sh: ${text}\n`);
  process.exit(exitCode);
}
