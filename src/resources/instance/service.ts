/** The instance resource. The daemon provides access to its files and its network. */

import { isOfOperator, isOperator } from '../../access/operator-owners.ts';
import { viewOf } from '../../access/view-of.ts';
import type { Finding } from '../../doctor/finding.ts';
import { type Address, formatNamed } from '../../kernel/address.ts';
import type { OwnerCaller } from '../../kernel/caller.ts';
import { isoTime, MINUTE, type Millis, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { listDomains } from '../../store/accounts/domains.ts';
import { isAligned } from '../../store/mail/mail-mappings.ts';
import type { ListedMessage } from '../../store/mail/messages.ts';
import type { Needs } from '../needs.ts';
import { backupShape, type instanceContract, operatorMailShape } from './contract.ts';

export interface DoctorVisit {
  at: Millis;
  findings: Finding[];
}

export interface WrittenBackup {
  file: string;
  octets: number;
  at: Millis;
  /** The console, `postroom backup`, or the nightly one. */
  by: 'console' | 'command' | 'nightly';
}

/** The daemon's part of the operations. */
export interface InstanceActs {
  /** Whether agents make workspaces for themselves. */
  readonly opensSignup: boolean;
  /** Null where the config names none. */
  readonly operatorAddress: Address | null;
  /** The newest mail to the operator. */
  listOperatorMail(): Promise<ListedMessage[]>;
  /** Null before the first visit. */
  lastVisit(): Promise<DoctorVisit | null>;
  examine(): Promise<DoctorVisit>;
  /** Null where Postroom writes none. */
  listBackups(): Promise<WrittenBackup[] | null>;
  /** @throws ApiError overloaded where the disk has no room */
  backUp(): Promise<WrittenBackup>;
}

export interface InstanceNeeds extends Needs<'store' | 'clock' | 'underWay'> {
  instanceActs: InstanceActs;
}

const viewMail = viewOf(operatorMailShape, (message: ListedMessage) => ({
  from: formatNamed(message.from),
  doubtful: !isAligned(message),
  at: isoTime(message.createdAt),
}));
const viewBackup = viewOf(backupShape);

/** Pause between two runs of an act: each reads all data, or queries other hosts. */
const PAUSE_MS = MINUTE;

export const createInstance = ({
  store,
  clock,
  instanceActs: acts,
  underWay,
}: InstanceNeeds): Handlers<typeof instanceContract> => {
  const requireOperators = async (caller: OwnerCaller): Promise<void> => {
    if (await isOfOperator(store, caller)) return;
    throw new ApiError('insufficient_scope', {
      hint: 'This is for owners of workspaces that the operator of the instance made.',
    });
  };

  /** Hides findings about domains of other workspaces. */
  const toView = async ({ workspaceId }: OwnerCaller, { at, findings }: DoctorVisit) => {
    const own = (await listDomains(store.read, workspaceId)).map(({ name }) => `${name}: `);
    const shown = findings.filter(
      ({ name, detail }) => name !== 'dns' || own.some((start) => detail.startsWith(start)),
    );
    return { at: isoTime(at), findings: shown };
  };

  /** Runs one at a time, with a pause in between. */
  const createTurn = (what: string) => {
    let isRunning = false;
    let endedAt = Number.NEGATIVE_INFINITY;
    return async <T>(work: () => Promise<T>): Promise<T> => {
      const wait = endedAt + PAUSE_MS - clock.now();
      if (isRunning || wait > 0) {
        const seconds = isRunning ? 10 : Math.ceil(wait / SECOND);
        const hint = isRunning ? `${what} is under way.` : `${what} was just made. Wait ${seconds} s.`;
        throw new ApiError('rate_limited', { hint, headers: { 'retry-after': String(seconds) } });
      }
      isRunning = true;
      try {
        const done = await work();
        endedAt = clock.now();
        return done;
      } finally {
        isRunning = false;
      }
    };
  };
  const examination = createTurn('An examination');
  const backup = createTurn('A backup');

  return {
    get: async (caller) => {
      if (!(await isOfOperator(store, caller))) return { instance: null };
      const visit = await acts.lastVisit();
      return {
        instance: {
          doctor: visit && (await toView(caller, visit)),
          backups: (await acts.listBackups())?.map(viewBackup) ?? null,
          operator: isOperator(acts.operatorAddress, caller)
            ? { address: acts.operatorAddress, mail: (await acts.listOperatorMail()).map(viewMail) }
            : null,
          signup_open: acts.opensSignup,
        },
      };
    },

    examine: async (caller) => {
      await requireOperators(caller);
      return toView(caller, await examination(acts.examine));
    },

    backUp: async (caller, _input, { record }) => {
      await requireOperators(caller);
      const began = clock.now();
      const { workspaceId } = caller;
      const written = await underWay.run({ kind: 'backup', workspaceId: null, name: null, total: null }, () =>
        backup(acts.backUp),
      );
      const seconds = (clock.now() - began) / SECOND;
      const act = { workspaceId, subject: written.file, detail: { octets: written.octets, seconds } };
      return store.write((tx) => record(tx, act, { ...viewBackup(written), seconds }));
    },
  };
};
