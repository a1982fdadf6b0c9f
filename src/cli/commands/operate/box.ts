/** `postroom box`: the machines with a daemon on one database. */

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/config.ts';
import { ConfigError, parseConfig } from '../../../config/config-text.ts';
import { formatStorage, type StorageLocation, storageUrl } from '../../../config/config-values.ts';
import { toJoinedConfig } from '../../../config/joined-config.ts';
import { SECOND, systemClock } from '../../../kernel/clock.ts';
import { readVersion } from '../../../kernel/files/version.ts';
import { boxesContract } from '../../../resources/boxes/contract.ts';
import { toBoxView } from '../../../resources/boxes/service.ts';
import type { Box } from '../../../store/data-files.ts';
import { type Context, command, optional, required, withOperations } from '../../command.ts';
import { loadConfig, placeForNewConfig } from '../../config-file.ts';
import { CommandError, EXIT, refused, wrongUsage } from '../../failure.ts';
import { writeNewConfig } from '../../new-instance.ts';
import { isServing } from '../../serving.ts';
import { details, table } from '../../table.ts';
import { namedFiles } from './carried-files.ts';
import { filesOf } from './data.ts';

const DATA_DIR = '/var/lib/postroom';

type Database = Extract<StorageLocation, { engine: 'postgres' }>;

const readUrl = async (operand: string): Promise<Database> => {
  const { data } = storageUrl.safeParse(operand === '-' ? (await readText(process.stdin)).trim() : operand);
  if (data?.engine === 'postgres') return data;
  throw wrongUsage('URL is that of a PostgreSQL database, as postgres://user:password@host/database.');
};

/** Opens what the box that serves has kept. */
const readKept = async (location: Database, keyFile: string): Promise<string> => {
  const name = formatStorage(location);
  const [{ openStore }, { dataFilesOf }, { SchemaError }, { findKeptConfig }, { openInstanceKey }] = await Promise.all([
    import('../../../store/open-store.ts'),
    import('../../../store/data-files.ts'),
    import('../../../store/store-errors.ts'),
    import('../../../vault/kept-config.ts'),
    import('../../../vault/vault-keys.ts'),
  ]);
  if ((await dataFilesOf(location).schema()).isNew) {
    throw refused(
      `There is no installation in ${name}. Begin with one box: [storage] url in its config, and a restart.`,
    );
  }
  const store = await openStore(location, { now: systemClock.now(), schema: 'require' }).catch((error: unknown) => {
    if (!(error instanceof SchemaError)) throw error;
    throw refused(
      `The installation in ${name} is of another version than this one. Join with the version that serves.`,
    );
  });
  try {
    if (!existsSync(keyFile)) throw refused(`There is no ${keyFile}. Copy the vault's key of the first box to it.`);
    const key = await openInstanceKey(store.read, { path: keyFile, isCredential: false });
    if (!key) throw refused(`${keyFile} is not the vault's key of the installation in ${name}.`);
    const kept = await findKeptConfig(store.read, key);
    if (kept === null) throw refused(`No box has served ${name} in this version yet. Start the first one, then join.`);
    return kept;
  } finally {
    await store.close();
  }
};

/** Refuses a config that this machine cannot start with. */
const requireUsable = (toml: string, configFile: string): void => {
  try {
    const missing = namedFiles(parseConfig(toml, configFile)).filter((file) => !existsSync(file));
    if (missing.length === 0) return;
    throw refused(`The config names files that are not here. Copy them from the first box: ${missing.join(', ')}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw refused(`The first box's config does not do for another machine:\n${error.message}`);
  }
};

/** @throws {CommandError} where the config that is there is of something else */
const requireSame = (configFile: string, location: Database): void => {
  const there = formatStorage(loadConfig({ flag: configFile }).config.storage.url);
  if (there === formatStorage(location)) return;
  throw refused(`${configFile} is there already, and its data is in ${there}. Nothing was written.`);
};

const boxJoin = command({
  name: 'box join',
  summary: "writes this machine's config as one more box of the installation in a PostgreSQL database",
  namesFiles: true,
  operands: { url: required('URL', 'of the database; -: the first line of stdin, which no list of processes shows') },
  options: {
    'vault-key': optional('FILE', "a copy of the first box's; without it vault.key beside the config"),
    'data-dir': optional('PATH', `for certificates and logs; without it ${DATA_DIR}`),
  },
  run: async (given, { configFlag }) => {
    const location = await readUrl(given.url);
    const there = configFlag === undefined ? null : resolve(configFlag);
    if (there !== null && existsSync(there)) {
      requireSame(there, location);
      return {
        document: { config: there, left_out: [] },
        text: () => `${there} is there already, and stays as it is.`,
      };
    }
    const configFile = placeForNewConfig({ flag: configFlag });
    const keyFile = resolve(given['vault-key'] ?? join(dirname(configFile), 'vault.key'));
    const kept = await readKept(location, keyFile);
    const own = { url: location.url, dataDir: resolve(given['data-dir'] ?? DATA_DIR), keyFile };
    const { toml, leftOut } = toJoinedConfig(kept, own);
    requireUsable(toml, configFile);
    writeNewConfig(configFile, toml);
    return {
      document: { config: configFile, left_out: leftOut },
      text: () =>
        [
          details([['config', configFile]]),
          ...(leftOut.length > 0 ? ["Left out, as the first box's own; set what this one has:", ...leftOut] : []),
        ].join('\n'),
    };
  },
});

/** A box drains within 30 s; another looks four times a second. */
const LEADS_WITHIN_MS = 60 * SECOND;
const ASK_EVERY_MS = 200;
/** One that ends soon after has not led. */
const LEADS_FOR_MS = 3 * SECOND;

/** The only box of data in a file, where its daemon runs. */
const listOwn = async ({ data_dir: folder }: Config): Promise<Box[]> => {
  if (!(await isServing(folder))) return [];
  const { mtimeMs } = await stat(join(folder, 'daemon.pid'));
  const since = Math.round(mtimeMs);
  return [{ name: hostname(), state: 'leading', since, silentMs: 0, version: readVersion(), address: null }];
};

const list = command({
  name: 'box list',
  summary: 'lists the boxes of the installation: which one leads, which serve beside it, since when, in which version',
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    const boxes = ((await (await filesOf(config)).boxes()) ?? (await listOwn(config))).map(toBoxView);
    return {
      document: boxes,
      text: () =>
        table(
          ['name', 'state', 'since', ['SILENT FOR', 'silent_seconds'], 'version', ['FROM', 'address']],
          boxes,
          'No daemon runs.',
        ),
    };
  },
});

/** Asks over the store, so that it is in the activity log. */
const ask = async (context: Context, box: string | undefined) => {
  const { SchemaError } = await import('../../../store/store-errors.ts');
  try {
    return await withOperations(context, (call) => call(boxesContract.drain, { ...(box !== undefined && { box }) }));
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw refused('The box that leads is of another version: run this on it. `postroom box list` names it.');
  }
};

const drain = command({
  name: 'box drain',
  summary: 'has the box that leads hand over to another, and waits until that leads',
  operands: { name: optional('NAME', 'the box that is to hand over; without it the one that leads') },
  run: async ({ name }, context) => {
    const { config } = loadConfig({ flag: context.configFlag });
    const files = await filesOf(config);
    const drained = await ask(context, name);
    const began = performance.now();
    let leadsFrom = Number.POSITIVE_INFINITY;
    let seen = drained.since;
    for (;;) {
      const boxes = ((await files.boxes()) ?? []).map(toBoxView);
      const leading = boxes.find(({ state }) => state === 'leading') ?? null;
      const now = performance.now();
      if (leading?.since !== seen) leadsFrom = leading ? now : Number.POSITIVE_INFINITY;
      seen = leading?.since ?? '';
      if (leading && now - leadsFrom > LEADS_FOR_MS) {
        return {
          document: { drained, leading },
          text: () => `${drained.name} has handed over: ${leading.name} leads, in version ${leading.version}.`,
        };
      }
      if (now - began > LEADS_WITHIN_MS) {
        const told = leading ? `${drained.name} leads still; its log says why.` : 'No box leads; their logs say why.';
        throw new CommandError(EXIT.refused, `After ${LEADS_WITHIN_MS / SECOND} s: ${told}`);
      }
      await sleep(ASK_EVERY_MS);
    }
  },
});

export const boxCommands = [list, drain, boxJoin];
