import { command } from '../../command.ts';
import { isJournalOnStdout, loadConfig, serviceManagerInEnvironment } from '../../config-file.ts';

const serve = command({
  name: 'serve',
  summary: 'runs the daemon in the foreground until SIGTERM or SIGINT',
  run: async (_given, { configFlag, json }) => {
    const { config, toml } = loadConfig({ flag: configFlag });
    // Loaded here, because no other command logs.
    const [{ createLog }, { runDaemon }, { createServiceManager }] = await Promise.all([
      import('../../log.ts'),
      import('../../run-daemon.ts'),
      import('../../service/service-manager.ts'),
    ]);
    const log = await createLog(json, isJournalOnStdout());
    await runDaemon(config, log, createServiceManager(serviceManagerInEnvironment(), log), toml);
    return null;
  },
});

export const serveCommands = [serve];
