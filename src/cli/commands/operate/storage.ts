/** `postroom storage copy`: moves all data to another engine. */

import { formatStorage, storageUrl } from '../../../config/config-values.ts';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
import type { CopiedPlace } from '../../../store/copy/copy-data.ts';
import { command, required } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { wrongUsage } from '../../failure.ts';
import { details } from '../../table.ts';
import { createProgress } from '../mail/progress.ts';

const PLACE = 'a config file, for the data that it names, or a postgres:// URL';

const readPlace = (operand: string): CopiedPlace => {
  if (/^\w+:/.test(operand)) {
    const { data: location } = storageUrl.safeParse(operand);
    if (location?.engine === 'postgres') return { location, directory: null };
    throw wrongUsage(`FROM and TO are each ${PLACE}.`);
  }
  const { config } = asCaller(() => loadConfig({ flag: operand }));
  return { location: config.storage.url, directory: config.data_dir };
};

const copy = command({
  name: 'storage copy',
  summary: 'copies all data to an empty place, as from SQLite to PostgreSQL, and compares it; the daemon must not run',
  namesFiles: true,
  operands: { from: required('FROM', PLACE), to: required('TO', 'the same; without data, or an interrupted copy') },
  notes:
    'A password stays out of the list of processes in a config file, in $PGPASSWORD or in ~/.pgpass.\nA copy that was interrupted goes on where it ended when the command is run again.',
  run: async (given, { json }) => {
    const [from, to] = [readPlace(given.from), readPlace(given.to)];
    // Loaded on use: help and a wrong command line do not load the store.
    const { copyData } = await import('../../../store/copy/copy-data.ts');
    const progress = createProgress(json);
    const copied = await copyData({ from, to }, Date.now(), ({ step, table, rows }) =>
      progress.tell(() => `${step}: ${table}, ${rows} rows`),
    ).finally(progress.end);
    const [source, target] = [formatStorage(from.location), formatStorage(to.location)];
    const rows = Object.values(copied.rows).reduce((sum, count) => sum + count, 0);
    const replaced = Object.entries(copied.replaced).map(([column, count]) => `${count} of ${column}`);
    return {
      document: {
        from: source,
        to: target,
        resumed: copied.isResumed,
        rows,
        tables: copied.rows,
        replaced: copied.replaced,
      },
      text: () =>
        [
          details([
            ['from', source],
            ['to', target],
            ['rows', `${rows} of ${Object.keys(copied.rows).length} tables, each compared`],
            ...(replaced.length > 0 ? [['U+0000 made U+FFFD', replaced.join(', ')] as const] : []),
          ]),
          'Next: set [storage] url in the config to the copy, start the daemon, and keep the former data until you are content.',
        ].join('\n\n'),
    };
  },
});

export const storageCommands = [copy];
