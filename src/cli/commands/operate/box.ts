/** `postroom box`: the machines with a daemon on one database. */

import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/config.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { readVersion } from '../../../kernel/files/version.ts';
import { boxesContract } from '../../../resources/boxes/contract.ts';
import { toBoxView } from '../../../resources/boxes/service.ts';
import type { Box } from '../../../store/data-files.ts';
import { type Context, command } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { EXIT } from '../../exit-codes.ts';
import { CommandError, refused } from '../../failure.ts';
import { optional } from '../../parameters.ts';
import { isServing } from '../../serving.ts';
import { table } from '../../table.ts';
import { withOperations } from '../../with-operations.ts';
import { filesOf } from './data.ts';
import { boxJoin } from './join.ts';

/** A box drains within 30 s; another looks four times a second, and starts within a few. */
const SERVES_WITHIN_MS = 60 * SECOND;
const ASK_EVERY_MS = 200;
/** One that ends soon after, as on a port that is taken, has not served. */
const SERVES_FOR_MS = 3 * SECOND;

/** The only box of data in a file, where its daemon runs. */
const listOwn = async ({ data_dir: folder }: Config): Promise<Box[]> => {
  if (!(await isServing(folder))) return [];
  const { mtimeMs } = await stat(join(folder, 'daemon.pid'));
  const since = Math.round(mtimeMs);
  return [{ name: hostname(), isServing: true, since, version: readVersion(), address: null }];
};

const list = command({
  name: 'box list',
  summary: 'lists the boxes of the installation: which one serves, which stand by, since when, in which version',
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    const boxes = ((await (await filesOf(config)).boxes()) ?? (await listOwn(config))).map(toBoxView);
    return {
      document: boxes,
      text: () => table(['name', 'state', 'since', 'version', ['FROM', 'address']], boxes, 'No daemon runs.'),
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
    throw refused('The box that serves is of another version: run this on it. `postroom box list` names it.');
  }
};

const drain = command({
  name: 'box drain',
  summary: 'has the box that serves hand over to one that stands by, and waits until that serves',
  operands: { name: optional('NAME', 'the box that is to hand over; without it the one that serves') },
  run: async ({ name }, context) => {
    const { config } = loadConfig({ flag: context.configFlag });
    const files = await filesOf(config);
    const drained = await ask(context, name);
    const began = performance.now();
    let servesFrom = Number.POSITIVE_INFINITY;
    let seen = drained.since;
    for (;;) {
      const boxes = ((await files.boxes()) ?? []).map(toBoxView);
      const serving = boxes.find(({ state }) => state === 'serving') ?? null;
      const now = performance.now();
      if (serving?.since !== seen) servesFrom = serving ? now : Number.POSITIVE_INFINITY;
      seen = serving?.since ?? '';
      if (serving && now - servesFrom > SERVES_FOR_MS) {
        return {
          document: { drained, serving },
          text: () => `${drained.name} has handed over: ${serving.name} serves, in version ${serving.version}.`,
        };
      }
      if (now - began > SERVES_WITHIN_MS) {
        const told = serving ? `${drained.name} serves still; its log says why.` : 'No box serves; their logs say why.';
        throw new CommandError(EXIT.refused, `After ${SERVES_WITHIN_MS / SECOND} s: ${told}`);
      }
      await sleep(ASK_EVERY_MS);
    }
  },
});

export const boxCommands = [list, drain, boxJoin];
