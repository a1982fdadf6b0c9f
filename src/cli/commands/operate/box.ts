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
