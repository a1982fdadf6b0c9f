/** Examines an installation: each check says what it found, and in words what to do. */

import { SECOND } from '../kernel/clock.ts';
import type { Check, DoctorNeeds } from './check.ts';
import { checkSchema, checkVaultKey } from './check-data.ts';
import { checkDns } from './checks/dns.ts';
import { checkEmbeddings } from './checks/embeddings.ts';
import { checkHost } from './checks/host.ts';
import { checkMachine } from './checks/machine.ts';
import { checkPorts } from './checks/ports.ts';
import { checkQueue } from './checks/queue.ts';
import { checkReputation } from './checks/reputation.ts';
import { checkTls } from './checks/tls.ts';
import { type Finding, fail, ok } from './finding.ts';

/** A check that is not done by then has failed. */
const CHECK_TIME_OUT_MS = 60 * SECOND;

const checkConfig: Check = async ({ configPath }) => [ok('config', configPath)];

const checkKeys: Check = async ({ vaultState, config }) => [checkVaultKey(vaultState, config.vault.key_file)];

const checkOwnSchema: Check = async ({ schema }) => [checkSchema(schema, fail)];

/** A new check is a line here. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['config', checkConfig],
  ['vault_key', checkKeys],
  ['schema', checkOwnSchema],
  ['machine', checkMachine],
  ['ports', checkPorts],
  ['host', checkHost],
  ['dns', checkDns],
  ['tls', checkTls],
  ['reputation', checkReputation],
  ['queue', checkQueue],
  ['embeddings', checkEmbeddings],
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
    const reason = error instanceof Error ? error.message : String(error);
    return [fail(name, `Could not be checked: ${reason}`, 'Run it again; the log may say more.')];
  } finally {
    clearTimeout(timer);
  }
};

/** Runs the checks side by side. @returns their findings in the order of the list */
export const examine = async (needs: DoctorNeeds): Promise<Finding[]> =>
  (await Promise.all(CHECKS.map(([name, check]) => withTimeOut(name, check(needs))))).flat();
