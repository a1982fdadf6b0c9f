import { setTimeout as sleep } from 'node:timers/promises';
import type { RenewalRequest } from '../../../app/tls/certificate-orders.ts';
import { isoTime, MINUTE } from '../../../kernel/clock.ts';
import type { OrderOutcome } from '../../../net/tls/acme/renewal.ts';
import { command, flag, withInstance } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { CommandError, EXIT, refused } from '../../failure.ts';
import { isServing } from '../../serving.ts';
import { table } from '../../table.ts';

const ASK_EVERY_MS = 250;
/** The daemon polls each minute; an authority may take three for each way to prove a name. */
const ANSWERED_WITHIN_MS = 12 * MINUTE;

const toView = ({ names, state, validTo, reason, nextAttemptAt }: OrderOutcome) => ({
  names: [...names],
  state,
  valid_to: validTo === null ? null : isoTime(validTo),
  reason,
  next_attempt_at: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
});

const certificateTable = (certificates: readonly ReturnType<typeof toView>[]): string =>
  table(
    [
      ['NAMES', ({ names }) => names.join(', ')],
      'state',
      ['UNTIL', (each) => each.valid_to?.slice(0, 10) ?? null],
      ['WHY', 'reason'],
    ],
    certificates,
    'No certificates.',
  );

const renew = command({
  name: 'tls renew',
  summary: 'orders the certificates that are missing or due, now, by each way of proving a name; the daemon does it',
  options: { force: flag('orders those that are not due as well') },
  run: async ({ force }, { configFlag, json }) => {
    const { config } = loadConfig({ flag: configFlag });
    if (config.tls.mode !== 'acme') {
      throw refused(
        `tls.mode is "${config.tls.mode}": no certificates are ordered.${config.tls.mode === 'files' ? ' Renew the files of tls.cert_file and tls.key_file; they are read again by themselves.' : ''}`,
      );
    }
    if (!(await isServing(config.data_dir))) {
      throw new CommandError(EXIT.unreachable, 'The daemon does not run. It answers the challenges of the authority.');
    }
    const { findRenewalRequest, putRenewalRequest } = await import('../../../app/tls/certificate-orders.ts');
    return withInstance(config, async ({ store, runtime }) => {
      const request: RenewalRequest = { at: runtime.clock.now(), asked: force ? 'all' : 'due', outcomes: null };
      await store.write((tx) => putRenewalRequest(tx, request));
      if (!json) process.stderr.write('Asked. The daemon orders within a minute.\n');
      const end = performance.now() + ANSWERED_WITHIN_MS;
      for (;;) {
        const outcomes = (await findRenewalRequest(store.read))?.outcomes;
        if (outcomes) {
          const certificates = outcomes.map(toView);
          return {
            document: { certificates },
            text: () => certificateTable(certificates),
            exitCode: certificates.some(({ state }) => state === 'failed' || state === 'waiting')
              ? EXIT.refused
              : EXIT.done,
          };
        }
        if (performance.now() >= end)
          throw new CommandError(EXIT.unreachable, 'The daemon has not answered. Its log says what it does.');
        await sleep(ASK_EVERY_MS);
      }
    });
  },
});

export const tlsCommands = [renew];
