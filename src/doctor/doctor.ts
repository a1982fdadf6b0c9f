/** Examines an installation: each check states its finding and the remedy. */

import { formatStorage } from '../config/config-values.ts';
import { DAY, HOUR, isoTime, MINUTE, SECOND } from '../kernel/clock.ts';
import { messageOf } from '../kernel/text/message-of.ts';
import type { Check, DoctorNeeds } from './check.ts';
import { checkSchema, checkVaultKey, VAULT_FIXES } from './check-data.ts';
import { checkDatabase } from './checks/database.ts';
import { checkDns } from './checks/dns.ts';
import { checkHost, checkReputation } from './checks/host.ts';
import { checkMachine } from './checks/machine.ts';
import { checkPorts, checkSmarthosts } from './checks/ports.ts';
import { checkTls } from './checks/tls.ts';
import { type Finding, fail, ok, skipped, warn } from './finding.ts';

const LATE_MS = 15 * MINUTE;
const VERY_LATE_MS = 2 * HOUR;
/** Two nights that brought none. */
const OLD_BACKUP_MS = 2 * DAY;

/** Overdue deliveries without an attempt. */
const checkQueue: Check = async ({ nextDueAt, now, isServing }) => {
  const late = nextDueAt === null ? 0 : now - nextDueAt;
  if (late < LATE_MS) return [ok('queue', 'No delivery is late.')];
  const told = `A delivery has been due for ${Math.round(late / MINUTE)} minutes.`;
  const fix = isServing ? 'Look into the log, and at `postroom queue list`.' : 'Start the daemon.';
  return [late > VERY_LATE_MS ? fail('queue', told, fix) : warn('queue', told, fix)];
};

/** Where runs of the timer fail, nothing else says so. */
const checkBackups: Check = async ({ lastNightlyAt, now }) => {
  if (lastNightlyAt === null) return [];
  const told = `The newest backup of the night is of ${isoTime(lastNightlyAt).slice(0, 10)}.`;
  if (now - lastNightlyAt < OLD_BACKUP_MS) return [ok('backups', told)];
  return [warn('backups', told, 'Its runs fail, or the timer is off: journalctl -u postroom-backup')];
};

const checkEmbeddings: Check = async ({ examineEmbeddings }) => {
  const examined = await examineEmbeddings();
  if (examined === null) return [skipped('embeddings', 'No endpoint is configured.')];
  const { fault, waiting, most } = examined;
  const told = waiting === 0 ? '' : ` ${waiting < most ? waiting : `${most} or more`} passages wait for their vectors.`;
  if (fault === null) return [ok('embeddings', `The endpoint answers.${told}`)];
  const fix = 'Look at [knowledge.embeddings] and at the endpoint. Until it answers, searches go by words alone.';
  return [warn('embeddings', `The endpoint for embeddings fails: ${fault}.${told}`, fix)];
};

/** A slower check has failed. */
const CHECK_TIME_OUT_MS = 60 * SECOND;

const CONFIG_FIX = 'Correct it: the daemon does not start with it. config/postroom.example.toml explains every key.';
const NO_DATA = 'The data cannot be opened.';

/** RFC 5321 section 4.5.1 requires a postmaster; unread complaints lead to block lists. */
const checkOperator: Check = async ({ config: { operator, outbound } }) => {
  if (operator.address !== null) return [ok('operator', `Mail to postmaster and abuse goes to ${operator.address}.`)];
  if (outbound.local_only) return [];
  return [
    warn('operator', 'Mail to postmaster and abuse of this server is passed on to nobody.', 'Set [operator] address.'),
  ];
};

/** @param faults with key and line */
export const judgeConfig = (configPath: string, faults: readonly string[]): Finding[] =>
  faults.length === 0 ? [ok('config', configPath)] : faults.map((each) => fail('config', each, CONFIG_FIX));

const checkConfig: Check = async ({ configPath, configFaults, configWarnings, plansFault }) => [
  ...judgeConfig(configPath, plansFault === null ? configFaults : [...configFaults, plansFault]),
  ...configWarnings.map(({ key, text }) => warn('config', `${key}: ${text}`, `Correct ${key} in ${configPath}.`)),
];

const checkKeys: Check = async ({ vaultState, keyFault, config }) => {
  if (keyFault !== null) return [fail('vault_key', keyFault, VAULT_FIXES.refused)];
  return [vaultState === null ? skipped('vault_key', NO_DATA) : checkVaultKey(vaultState, config.vault.key_file)];
};

const checkOpens: Check = async ({ dataFault, config }) => [
  dataFault === null
    ? ok('data', formatStorage(config.storage.url))
    : fail(
        'data',
        dataFault,
        'Do what it says; else run the command as root, or as the user that the data directory belongs to. A file in it that is of another user, as after a copy by root: `chown` it.',
      ),
];

/** Makes a check that needs the data. */
const ofData =
  (name: string, check: Check): Check =>
  async (needs) =>
    needs.dataFault === null ? check(needs) : [skipped(name, NO_DATA)];

const checkOwnSchema: Check = async ({ schema }) => [
  schema === null ? skipped('schema', NO_DATA) : checkSchema(schema, fail),
];

/** A new check is a line here. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['config', checkConfig],
  ['vault_key', checkKeys],
  ['data', checkOpens],
  ['database', checkDatabase],
  ['schema', checkOwnSchema],
  ['operator', checkOperator],
  ['machine', checkMachine],
  ['ports', checkPorts],
  ['smarthost', checkSmarthosts],
  ['host', checkHost],
  ['dns', ofData('dns', checkDns)],
  ['tls', checkTls],
  ['reputation', checkReputation],
  ['queue', ofData('queue', checkQueue)],
  ['backups', checkBackups],
  ['embeddings', ofData('embeddings', checkEmbeddings)],
];

const withTimeOut = async (name: string, check: Promise<Finding[]>): Promise<Finding[]> => {
  const { promise: late, resolve } = Promise.withResolvers<Finding[]>();
  const timer = setTimeout(
    () => resolve([fail(name, `Not checked within ${CHECK_TIME_OUT_MS / SECOND} s.`, 'Run it again.')]),
    CHECK_TIME_OUT_MS,
  );
  try {
    return await Promise.race([check, late]);
  } catch (error) {
    const reason = messageOf(error);
    return [fail(name, `Could not be checked: ${reason}`, 'Run it again; the log may say more.')];
  } finally {
    clearTimeout(timer);
  }
};

/** Runs the checks side by side. @returns their findings in the order of the list */
export const examine = async (needs: DoctorNeeds): Promise<Finding[]> =>
  (await Promise.all(CHECKS.map(([name, check]) => withTimeOut(name, check(needs))))).flat();
