/** Records a call's act in the activity log: its actor, its transport and what it did. */

import { type ActivityLog, DAEMON } from '../activity/activity-log.ts';
import { type Caller, emailOfOwner, toCredential, type Via } from '../kernel/caller.ts';
import type { Recorded, RecordingCall } from '../kernel/handlers.ts';
import type { ActivityDetail, Operation } from '../kernel/operation.ts';
import { findAgentById } from '../store/accounts/agents.ts';
import type { Db, Tx } from '../store/store.ts';

interface Recorder {
  record: RecordingCall['record'];
  unchanged: RecordingCall['unchanged'];
  /**
   * @param answer what the handler has answered
   * @throws Error where the operation is recorded and the answer is not what {@link record} or {@link unchanged} returned
   */
  answerOf(answer: unknown): unknown;
}

export const createRecorder = (
  activity: Pick<ActivityLog, 'record'>,
  { name, activity: action }: Operation,
  caller: Caller,
  via: Via,
): Recorder => {
  // A unit of work may run twice: each run makes an answer of its own, and the first run's row is rolled back.
  const made = new WeakSet<object>();
  const mark = <T>(answer: T): Recorded<T> => {
    const recorded = { answer } as Recorded<T>;
    made.add(recorded);
    return recorded;
  };
  return {
    record: async <T>(
      tx: unknown,
      { workspaceId, subject, detail }: Parameters<RecordingCall['record']>[1],
      answer: T,
    ) => {
      if (action === null) throw new Error(`${name} has no act to record.`);
      const about = { ...detail, ...byWhat(caller) };
      const actor = await findActor((tx as Tx).db, caller);
      await activity.record(tx as Tx, { workspaceId, actor, action, subject, via, detail: about });
      return mark(answer);
    },
    unchanged: mark,
    answerOf: (answer) => {
      if (action === null) return answer;
      if (typeof answer !== 'object' || answer === null || !made.has(answer)) {
        throw new Error(`${name} answered without a row in the activity log.`);
      }
      return (answer as Recorded<unknown>).answer;
    },
  };
};

const findActor = async (db: Db, caller: Caller): Promise<string> => {
  switch (caller.kind) {
    case 'agent':
      // The id, where the agent was removed while the call ran.
      return (await findAgentById(db, caller.agentId))?.handle ?? caller.agentId;
    case 'owner':
      return emailOfOwner(caller);
    case 'session':
      return caller.email;
    case 'operator':
      return 'operator';
    case 'anonymous':
      return DAEMON;
  }
};

/**
 * The means of the call: the key or connection of an agent, the operator's account on the machine, or the network of
 * an anonymous caller.
 */
const byWhat = (caller: Caller): ActivityDetail => {
  switch (caller.kind) {
    case 'agent':
      return { ...toCredential(caller.keyId, caller.byGrant !== undefined) };
    case 'owner':
    case 'session':
      return {};
    case 'operator':
      return { by: caller.name };
    case 'anonymous':
      return { by_network: caller.network };
  }
};
