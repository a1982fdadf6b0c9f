/** `postroom doctor` */

import { isSound } from '../../../doctor/finding.ts';
import { command } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatFindings } from '../../text/findings.ts';

/** Whether a daemon holds the lock of the data directory. */
const isServing = async (dataDir: string): Promise<boolean> => {
  const [{ lockDataDirectory }, { LockedError }] = await Promise.all([
    import('../../../store/lock-data.ts'),
    import('../../../store/store-errors.ts'),
  ]);
  try {
    lockDataDirectory(dataDir).release();
    return false;
  } catch (error) {
    if (error instanceof LockedError) return true;
    throw error;
  }
};

const doctor = command({
  name: 'doctor',
  summary: 'examines the installation, and says what to do about what is wrong; exit code 1 where something is',
  operands: {},
  options: {},
  run: async (_given, { configFlag }) => {
    const { config, path: configPath } = loadConfig({ flag: configFlag });
    const [{ openInstance }, { examineInstance }] = await Promise.all([
      import('../../../app/instance.ts'),
      import('../../../app/doctor/examine-instance.ts'),
    ]);
    const instance = await openInstance(config);
    try {
      const checks = await examineInstance(instance, { configPath, isServing: await isServing(config.data_dir) });
      const isGood = isSound(checks);
      return {
        document: { ok: isGood, checks },
        text: () => formatFindings(checks),
        exitCode: isGood ? EXIT.done : EXIT.refused,
      };
    } finally {
      await instance.close();
    }
  },
});

export const doctorCommands = [doctor];
