import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/text/message-of.ts';
import { command, optional } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { CommandError, EXIT, wrongUsage } from '../../failure.ts';

const ASK_EVERY_MS = 250;
const ANSWER_WITHIN_MS = 5 * SECOND;
const MAX_SECONDS = 3600;

const readSeconds = (name: string, text: string | undefined): number => {
  if (text === undefined) return 0;
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > MAX_SECONDS)
    throw wrongUsage(`--${name} takes seconds, at most ${MAX_SECONDS}.`);
  return seconds * SECOND;
};

/** Null for the answer of a version that does not name it, or of another program. */
const dataDirOf = (text: string): string | null => {
  try {
    const { data_dir: found } = JSON.parse(text) as { data_dir?: unknown };
    return typeof found === 'string' ? found : null;
  } catch {
    return null;
  }
};

/** @returns null where the instance with its data in `dataDir` is ready, else the reason */
const ask = async (url: string, dataDir: string): Promise<string | null> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await response.text();
    const found = dataDirOf(text);
    if (found !== null && found !== dataDir) return `another instance answers there, with its data in ${found}`;
    return response.ok ? null : `${response.status} ${text}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return messageOf(cause);
  }
};

const ready = command({
  name: 'ready',
  summary: 'asks the daemon whether it is ready (/readyz); exit code 69 where it is not',
  options: {
    within: optional('SECONDS', 'how long to go on asking; without it once'),
    for: optional('SECONDS', 'how long it must stay so'),
  },
  run: async (given, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    const { host, port } = config.http.private_listen;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`;
    const [within, lasting] = [readSeconds('within', given.within), readSeconds('for', given.for)];
    const end = performance.now() + within;
    let since: number | null = null;
    for (;;) {
      const reason = await ask(url, config.data_dir);
      const now = performance.now();
      since = reason === null ? (since ?? now) : null;
      if (since !== null && now - since >= lasting) {
        return { document: { ready: true, url }, text: () => 'The daemon is ready.' };
      }
      // While the daemon is ready, the wait may exceed its end.
      if (reason !== null && now >= end)
        throw new CommandError(EXIT.unreachable, `The daemon is not ready: ${reason} (${url})`);
      await sleep(ASK_EVERY_MS);
    }
  },
});

export const readyCommands = [ready];
