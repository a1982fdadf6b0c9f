/** `postroom agents hold|guard|suspend|resume|remove`: what a person decides about an agent. */

import type { Instance } from '../../app/instance.ts';
import { type Agent, removeAgent, setMailboxStatus, updateAgent } from '../../store/accounts/agents.ts';
import type { Tx } from '../../store/store.ts';
import { type Answer, type Context, command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { requireAgent } from '../find.ts';
import { flag, required } from '../parameters.ts';
import { withInstance } from '../with-instance.ts';

const agentOperand = { agent: required('AGENT', 'handle, address or id') };

/** Changes an agent and says how it stands then. */
const change = (
  context: Context,
  name: string,
  work: (tx: Tx, agent: Agent, instance: Instance) => Promise<void>,
  words: (agent: Agent) => string,
): Promise<Answer> =>
  withInstance(context, async (instance) => {
    const { store } = instance;
    const agent = await requireAgent(store.read, name);
    await store.write((tx) => work(tx, agent, instance));
    const { id, handle, hold, guard, status } = await requireAgent(store.read, agent.id);
    return { document: { id, handle, status, hold, guard }, text: () => words(agent) };
  });

const hold = command({
  name: 'agents hold',
  summary: 'has every mail of an agent wait for a person',
  operands: agentOperand,
  options: { off: flag('lets it send by itself again') },
  run: ({ agent, off }, context) =>
    change(
      context,
      agent,
      (tx, { id }) => updateAgent(tx, id, { hold: !off }),
      ({ handle }) => (off ? `${handle} sends by itself.` : `What ${handle} sends waits for a person.`),
    ),
});

const guard = command({
  name: 'agents guard',
  summary: 'has an agent wait for a person where mail in the thread, or from a recipient, did not authenticate',
  operands: agentOperand,
  options: { off: flag('lets it answer such mail by itself again') },
  run: ({ agent, off }, context) =>
    change(
      context,
      agent,
      (tx, { id }) => updateAgent(tx, id, { guard: !off }),
      ({ handle }) =>
        off
          ? `${handle} answers whatever comes.`
          : `What ${handle} sends because of mail that did not authenticate waits for a person.`,
    ),
});

const suspend = command({
  name: 'agents suspend',
  summary: 'stops an agent: its mailbox neither takes nor sends mail',
  operands: agentOperand,
  options: {},
  run: ({ agent }, context) =>
    change(
      context,
      agent,
      (tx, { mailboxId }) => setMailboxStatus(tx, mailboxId, 'suspended'),
      ({ handle }) => `${handle} is suspended.`,
    ),
});

const resume = command({
  name: 'agents resume',
  summary: 'lets a suspended agent go on',
  operands: agentOperand,
  options: {},
  run: ({ agent }, context) =>
    change(
      context,
      agent,
      (tx, { mailboxId }) => setMailboxStatus(tx, mailboxId, 'active'),
      ({ handle }) => `${handle} goes on.`,
    ),
});

const remove = command({
  name: 'agents remove',
  summary: 'ends an agent for good: its keys and its address are dead, its handle is never given again',
  operands: agentOperand,
  options: { yes: flag('do not ask') },
  run: ({ agent, yes }, context) =>
    withInstance(context, async ({ store, runtime }) => {
      const found = await requireAgent(store.read, agent);
      await confirm(`Remove the agent ${found.handle} (${found.address}) for good?`, yes);
      await store.write((tx) => removeAgent(tx, found.id, runtime.clock.now()));
      const { id, handle } = found;
      return { document: { id, handle, removed: true }, text: () => `${handle} is removed.` };
    }),
});

export const agentStateCommands = [hold, guard, suspend, resume, remove];
