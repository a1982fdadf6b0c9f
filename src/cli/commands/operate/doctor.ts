import type { Config } from '../../../config/config.ts';
import { formatProblem } from '../../../config/config-text.ts';
import { judgeConfig } from '../../../doctor/doctor.ts';
import type { Finding } from '../../../doctor/finding.ts';
import { command } from '../../command.ts';
import { loadValidPart } from '../../config-file.ts';
import { isServing } from '../../serving.ts';
import { answerWith } from './data.ts';

const examine = async (config: Config, configPath: string, configFaults: readonly string[]): Promise<Finding[]> => {
  const [{ openExamined }, { examineInstance }] = await Promise.all([
    import('../../../app/doctor/open-examined.ts'),
    import('../../../app/doctor/examine-instance.ts'),
  ]);
  const examined = await openExamined(config);
  try {
    const about = { configPath, configFaults, isServing: await isServing(config.data_dir).catch(() => false) };
    return await examineInstance(examined, about);
  } finally {
    await examined.instance?.close();
  }
};

const doctor = command({
  name: 'doctor',
  summary: 'examines the installation, and says what to do about what is wrong; exit code 1 where something is',
  run: async (_given, { configFlag }) => {
    const { config, path: configPath, problems } = loadValidPart({ flag: configFlag });
    const configFaults = problems.map((problem) => formatProblem(configPath, problem));
    return answerWith(config ? await examine(config, configPath, configFaults) : judgeConfig(configPath, configFaults));
  },
});

export const doctorCommands = [doctor];
