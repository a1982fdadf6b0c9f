/** An agent's state of sending, as a mark and a word. */

import type { Agent } from '../api/overview.ts';
import { Badge, Mark, type MarkName } from './marks.tsx';

type State = Pick<Agent, 'status' | 'hold' | 'guard'>;

const stateOf = ({ status, hold, guard }: State): readonly [MarkName, string] => {
  if (status === 'suspended') return ['off', 'Suspended'];
  if (hold) return ['wait', 'Held'];
  return guard ? ['wait', 'Guarded'] : ['ok', 'At once'];
};

export const AgentState = ({ agent }: { agent: State }) => {
  const [mark, words] = stateOf(agent);
  return <Badge mark={mark}>{words}</Badge>;
};

export const AgentMark = ({ agent }: { agent: State }) => <Mark name={stateOf(agent)[0]} />;
