/**
 * A whole Postroom on a temporary directory and free ports: the real daemon in this process, a DNS server for its zone,
 * a receiving mail server for its outbound mail, and two agents with keys.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toMailHost } from '../../src/app/domains/mail-host.ts';
import { type Runtime, systemRuntime } from '../../src/app/instance.ts';
import type { Schedule } from '../../src/app/jobs.ts';
import { type Daemon, startDaemon } from '../../src/app.ts';
import { createClient } from '../../src/client/client.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/config-text.ts';
import { toDnsRecords } from '../../src/domains/records.ts';
import type { Address } from '../../src/kernel/address.ts';
import type { Log } from '../../src/kernel/log.ts';
import { writeKeyFile } from '../../src/seal/key-file.ts';
import {
  findWorkspaceById,
  type Workspace as StoredWorkspace,
  type NewWorkspaceRow as Workspace,
} from '../../src/store/accounts/workspaces.ts';
import { insertSuppression } from '../../src/store/sending/suppressions.ts';
import type { Store } from '../../src/store/store.ts';
import {
  addAccounts,
  addTestAgent,
  addTestWorkspace,
  copyAccounts,
  type DomainKeys,
  listDomainKeys,
  type OpenedInstance,
  openFor,
  type TestAgent,
} from './accounts.ts';
import { startDns, type TestDns } from './net/dns.ts';
import { freePort } from './net/free-port.ts';
import { storageTable } from './postgres/test-location.ts';
import { copyEmptyStore } from './small-store.ts';
import { type Receiver, type ReceiverOptions, startReceiver } from './smtp/mail-receiver.ts';

export type { TestAgent } from './accounts.ts';

export const HOSTNAME = 'mx.box.test';
export const BASE_DOMAIN = 'agents.box.test';
/** Where the outside world's mail goes: its MX is the receiver. */
export const REMOTE_DOMAIN = 'remote.test';

/** Every third unit of work runs twice: its effects beside its queries belong into `afterCommit`. */
const REPEAT_EVERY = 3;

export interface TestInstance extends AsyncDisposable {
  directory: string;
  config: Config;
  configPath: string;
  daemon: Daemon;
  dns: TestDns;
  receiver: Receiver;
  baseUrl: string;
  smtpPort: number;
  workspace: Workspace;
  /** `ann` and `bob`. */
  agents: { ann: TestAgent; bob: TestAgent };
  faults: unknown[];
  /** What was logged at info. */
  logged: { message: string; fields: object }[];
  /** What was logged as a warning. */
  warned: { message: string; fields: object }[];
  addAgent(handle: string, workspace?: Workspace): Promise<TestAgent>;
  addWorkspace(name: string, verified?: boolean): Promise<Workspace>;
  client(agent: TestAgent): ReturnType<typeof createClient>;
  /** A raw request with the agent's key. */
  request(agent: TestAgent | null, method: string, path: string, body?: unknown): Promise<Response>;
  /** Works on the box's data file beside the daemon, as the CLI does. */
  inStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Every event so far, oldest first. */
  events(): Promise<{ name: string; data: Record<string, unknown> }[]>;
  findWorkspace(): Promise<StoredWorkspace>;
  /** Suppresses an address by hand. */
  suppress(address: string): Promise<void>;
  /** Stops the daemon and starts it again on the same data. */
  restart(): Promise<void>;
}

export interface InstanceOptions {
  /** Of a database; left out: where {@link storageTable} has the data of tests. */
  storageUrl?: string;
  /** More TOML, after the tables that the harness writes. */
  toml?: string;
  runtime?: Partial<Runtime>;
  receiver?: ReceiverOptions;
  /** Plans in TOML, beside the usual rates and probation. */
  plans?: string;
  /** Left out: a free one. */
  httpPort?: number;
  /** More keys of [http]. */
  http?: string;
  /** The name in `public_url`; left out, 127.0.0.1. */
  publicHost?: string;
  /** More keys of [smtp]. */
  smtp?: string;
  /** More keys of [network]. */
  network?: string;
  /** Keys of [outbound]; without a `port` among them it is the receiver's. */
  outbound?: string;
  /** The keys of [tls]; left out, TLS is off. With TLS, HTTP speaks it as well, and `client` and `request` do not. */
  tls?: string;
}

const writeConfig = async (
  directory: string,
  dnsServer: string,
  remotePort: number,
  {
    httpPort: ownPort,
    publicHost = '127.0.0.1',
    tls = 'mode = "off"',
    http = '',
    smtp = '',
    network = '',
    outbound = '',
    storageUrl,
  }: InstanceOptions,
  more: string,
): Promise<string> => {
  const path = join(directory, 'postroom.toml');
  const httpPort = ownPort ?? (await freePort());
  writeFileSync(
    path,
    `hostname = "${HOSTNAME}"
base_domain = "${BASE_DOMAIN}"
public_url = "http://${publicHost}:${httpPort}"
data_dir = "data"
[vault]
key_file = "vault.key"
[http]
listen = ["127.0.0.1:${httpPort}"]
private_listen = "127.0.0.1:${await freePort()}"
${http}
[tls]
${tls}
[smtp]
listen = ["127.0.0.1:${await freePort()}"]
${smtp}
[dns]
resolvers = ["${dnsServer}"]
[outbound]
${/^undo_seconds =/m.test(outbound) ? '' : 'undo_seconds = 0\n'}${/^port =/m.test(outbound) ? '' : `port = ${remotePort}\n`}${outbound}
${storageUrl === undefined ? await storageTable(directory) : `[storage]\nurl = "${storageUrl}"\n`}[network]
allow_private = ["127.0.0.0/8"]
${network}
${more}`,
  );
  return path;
};

/** The product's own rates and probation, with other plans. */
const writePlans = (directory: string, plans: string): string => {
  const own = readFileSync(new URL('../../config/plans.toml', import.meta.url), 'utf8');
  writeFileSync(join(directory, 'plans.toml'), `${plans}\n${own.slice(own.indexOf('[rates]'))}`);
  return '[plans]\nfile = "plans.toml"\n';
};

/** Puts the records that the box asks its owner to publish into the zone, and its own address. */
const publishRecords = (config: Config, { zone }: TestDns, domains: DomainKeys): void => {
  zone.set(HOSTNAME, 'A', ['127.0.0.1']);
  const mailHost = toMailHost(config);
  for (const { type, name, value, priority } of domains.flatMap((each) =>
    toDnsRecords(each.domain, each.keys, mailHost),
  )) {
    if (type === 'TXT') zone.set(name, 'TXT', [value]);
    if (type === 'MX') zone.set(name, 'MX', [{ exchange: value, priority: priority ?? 0 }]);
  }
};

/** A test runs the jobs where it wants them: a minute of the machine that ends in its midst is not to. */
const byHand: Schedule = () => ({ stop: () => {} });

export const startInstance = async (options: InstanceOptions = {}): Promise<TestInstance> => {
  const directory = mkdtempSync(join(tmpdir(), 'postroom-test-'));
  const dns = await startDns({
    [REMOTE_DOMAIN]: { MX: [{ exchange: 'mx.remote.test', priority: 10 }] },
    'mx.remote.test': { A: ['127.0.0.1'] },
  });
  const receiver = await startReceiver(options.receiver);
  const more = options.plans === undefined ? '' : writePlans(directory, options.plans);
  const configPath = await writeConfig(directory, dns.server, receiver.port, options, `${more}${options.toml ?? ''}`);
  const config = parseConfig(readFileSync(configPath, 'utf8'), configPath);
  const runtime = {
    ...systemRuntime,
    schedule: byHand,
    checksOutput: true,
    store: { repeatEvery: REPEAT_EVERY },
    ...options.runtime,
  };
  const faults: unknown[] = [];
  const logged: TestInstance['logged'] = [];
  const warned: TestInstance['warned'] = [];
  const log: Log = {
    info: (fields, message) => logged.push({ message, fields }),
    warn: (fields, message) => warned.push({ message, fields }),
    error: (fields) => faults.push(fields),
  };

  const withInstance = <T>(work: (instance: OpenedInstance) => Promise<T>): Promise<T> =>
    openFor(config, runtime, work);
  const makeWorkspace = (name: string, verified = true): Promise<Workspace> =>
    withInstance((opened) => addTestWorkspace(opened, name, verified));
  const makeAgent = (handle: string, workspace: Workspace): Promise<TestAgent> =>
    withInstance((opened) => addTestAgent(opened, handle, workspace));

  // The time and the randomness of another runtime are in all that it makes; other plans may not have the usual one.
  const { storageUrl, runtime: given, plans } = options;
  const isUsual = [storageUrl, given, plans].every((each) => each === undefined);
  if (!isUsual) {
    writeKeyFile(config.vault.key_file);
    if (config.storage.url.engine === 'sqlite') await copyEmptyStore(config.storage.url.file);
  }
  const copied = isUsual ? await copyAccounts(config) : null;
  const { workspace, agents } = copied ?? (await withInstance(addAccounts));
  let daemon = await startDaemon(config, log, runtime);
  publishRecords(config, dns, copied?.domains ?? (await withInstance(listDomainKeys)));
  const baseUrl = config.public_url;

  const close = async () => {
    await daemon.stop();
    await receiver.close();
    await dns.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    directory,
    config,
    configPath,
    dns,
    receiver,
    baseUrl,
    smtpPort: config.smtp.listen[0]?.port ?? 0,
    workspace,
    agents,
    faults,
    logged,
    warned,
    get daemon() {
      return daemon;
    },
    addAgent: (handle, of = workspace) => makeAgent(handle, of),
    addWorkspace: makeWorkspace,
    client: ({ key }) => createClient({ baseUrl, apiKey: key, retries: 0 }),
    request: (agent, method, path, body) =>
      fetch(new URL(path, baseUrl), {
        method,
        headers: {
          ...(agent && { authorization: `Bearer ${agent.key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    inStore: (work) => withInstance(({ store }) => work(store)),
    events: () =>
      withInstance(({ store }) =>
        store.read
          .selectFrom('events')
          .select(['name', 'data'])
          .orderBy('seq')
          .execute()
          .then((rows) => rows.map(({ name, data }) => ({ name, data: JSON.parse(data) as Record<string, unknown> }))),
      ),
    findWorkspace: () =>
      withInstance(async ({ store }) => {
        const found = await findWorkspaceById(store.read, workspace.id);
        if (!found) throw new Error('The workspace is gone.');
        return found;
      }),
    suppress: (address) =>
      withInstance(({ store }) =>
        store.write((tx) =>
          insertSuppression(tx, workspace.id, {
            address: address as Address,
            reason: 'manual',
            bounceType: null,
            messageId: null,
            until: null,
            createdAt: runtime.clock.now(),
          }),
        ),
      ),
    restart: async () => {
      await daemon.stop();
      daemon = await startDaemon(config, log, runtime);
    },
    [Symbol.asyncDispose]: close,
  };
};
