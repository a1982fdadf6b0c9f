/** `postroom compact` */

import { statSync } from 'node:fs';
import type { Config } from '../../../config/config.ts';
import { freeSpace } from '../../../kernel/files/free-space.ts';
import { command } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { refused } from '../../failure.ts';
import { isServing } from '../../serving.ts';
import { details } from '../../table.ts';

/** Beside a running daemon, in steps between which the daemon writes. */
const compactServing = async (config: Config): Promise<void> => {
  const [{ openInstance }, { releaseSpace }] = await Promise.all([
    import('../../../app/instance.ts'),
    import('../../../app/retention.ts'),
  ]);
  const { store, close } = await openInstance(config);
  try {
    if ((await releaseSpace(store, 0)) === null) {
      throw refused(
        'This data file was made by a version without this. Stop the daemon once, run `postroom compact`, and start it again.',
      );
    }
  } finally {
    await close();
  }
};

const compactWhole = async ({ storage, data_dir: folder }: Config): Promise<void> => {
  const { file } = storage.url;
  const { free } = await freeSpace(folder);
  const { size } = statSync(file);
  if (free < size) {
    throw refused(`The disk has ${free} bytes free; the file is written anew, which takes up to ${size}.`);
  }
  const [{ lockDataDirectory }, { dataFilesOf }] = await Promise.all([
    import('../../../store/lock-data.ts'),
    import('../../../store/data-files.ts'),
  ]);
  const lock = lockDataDirectory(folder);
  try {
    dataFilesOf(storage.url).compact();
  } finally {
    lock.release();
  }
};

const compact = command({
  name: 'compact',
  summary: 'gives the space of deleted mail back to the disk; beside the daemon in small steps, without it whole',
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    const { file } = config.storage.url;
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) throw refused(`There is no data yet: ${file}`);
    await ((await isServing(config.data_dir)) ? compactServing(config) : compactWhole(config));
    const document = { file, before: found.size, after: statSync(file).size };
    return { document, text: () => details(Object.entries(document)) };
  },
});

export const compactCommands = [compact];
