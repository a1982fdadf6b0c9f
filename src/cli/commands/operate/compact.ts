import type { Config } from '../../../config/config.ts';
import { formatStorage } from '../../../config/config-values.ts';
import type { DataFiles } from '../../../store/data-files.ts';
import { command, withInstance } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { refused } from '../../failure.ts';
import { isServing } from '../../serving.ts';
import { details } from '../../table.ts';
import { filesOf } from './data.ts';

/** Beside a running daemon, in steps between which the daemon writes. */
const compactServing = async (config: Config): Promise<void> => {
  const { releaseSpace } = await import('../../../app/retention.ts');
  if ((await withInstance(config, ({ store }) => releaseSpace(store, 0))) === null) {
    throw refused(
      'This data file was made by a version without this. Stop the daemon once, run `postroom compact`, and start it again.',
    );
  }
};

const compactWhole = async (files: DataFiles, folder: string, size: number): Promise<void> => {
  const free = await files.freeBytes(folder);
  if (free < size) {
    throw refused(`The disk has ${free} bytes free; the file is written anew, which takes up to ${size}.`);
  }
  const { lockDataDirectory } = await import('../../../store/lock-data.ts');
  const lock = lockDataDirectory(folder);
  try {
    await files.compact();
  } finally {
    lock.release();
  }
};

const compact = command({
  name: 'compact',
  summary: 'gives the space of deleted mail back to the disk; beside the daemon in small steps, without it whole',
  run: async (_given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    const files = await filesOf(config);
    const file = formatStorage(config.storage.url);
    const before = await files.size();
    if (before === null) throw refused(`There is no data yet: ${file}`);
    // A server keeps its files: it refuses, and says what to do instead.
    if (!files.hasBackups) await files.compact();
    await ((await isServing(config.data_dir)) ? compactServing(config) : compactWhole(files, config.data_dir, before));
    const document = { file, before, after: await files.size() };
    return { document, text: () => details(Object.entries(document)) };
  },
});

export const compactCommands = [compact];
