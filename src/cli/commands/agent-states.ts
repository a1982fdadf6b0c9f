/** `postroom agents rename|hold|guard|suspend|resume|remove`: an agent's name and states, set by a person. */

import { agentsContract } from '../../resources/agents/contract.ts';
import { flag, operationCommand, required, requireLine } from '../command.ts';
import { confirm } from '../confirm.ts';
import { printable } from '../table.ts';
import { formatEnded } from './ended-connections.ts';

const agentOperand = { agent: required('AGENT', 'handle, address or id') };

const rename = operationCommand({
  name: 'agents rename',
  summary: 'changes the name that recipients see beside the address, which stays',
  operands: agentOperand,
  options: { 'display-name': required('NAME', 'shown beside the address; "": none') },
  call: (call, { agent, 'display-name': name }) =>
    call(agentsContract.rename, {
      agent,
      display_name: name.trim() === '' ? null : requireLine('A display name', 200, name),
    }),
  text: ({ handle }) => `${handle} has another name.`,
});

const hold = operationCommand({
  name: 'agents hold',
  summary: 'has every mail of an agent wait for a person',
  operands: agentOperand,
  options: { off: flag('lets it send by itself again') },
  call: (call, { agent, off }) => call(agentsContract.hold, { agent, hold: !off }),
  text: ({ handle, guard }, { off }) => {
    if (!off) return `What ${handle} sends waits for a person.`;
    return guard
      ? `${handle} is guarded: it sends by itself, but for what it sends because of mail that did not authenticate.`
      : `${handle} sends by itself.`;
  },
});

const guard = operationCommand({
  name: 'agents guard',
  summary: 'has an agent wait for a person where mail in the thread, or from a recipient, did not authenticate',
  operands: agentOperand,
  options: { off: flag('lets it answer such mail by itself again') },
  call: (call, { agent, off }) => call(agentsContract.guard, { agent, guard: !off }),
  text: ({ handle, hold }, { off }) => {
    if (!off) return `What ${handle} sends because of mail that did not authenticate waits for a person.`;
    return hold
      ? `${handle} is guarded no more, but on hold: what it sends waits for a person.`
      : `${handle} answers whatever comes.`;
  },
});

const suspend = operationCommand({
  name: 'agents suspend',
  summary: 'stops an agent: its mailbox neither takes nor sends mail; its keys still read, what is queued goes on',
  operands: agentOperand,
  call: (call, { agent }) => call(agentsContract.suspend, { agent }),
  text: ({ handle }) =>
    `${handle} is suspended: it takes and sends no mail, its keys still read. What is queued goes on.`,
});

const resume = operationCommand({
  name: 'agents resume',
  summary: 'lets a suspended agent go on',
  operands: agentOperand,
  call: (call, { agent }) => call(agentsContract.resume, { agent }),
  text: ({ handle, hold }) =>
    hold
      ? `${handle} takes and sends mail; what it sends still waits for a person: postroom agents hold ${handle} --off`
      : `${handle} goes on.`,
});

const remove = operationCommand({
  name: 'agents remove',
  summary:
    'ends an agent for good: keys, address, queued, scheduled and held mail end, its handle is never given again',
  operands: agentOperand,
  options: { yes: flag('do not ask') },
  call: async (call, { agent, yes }) => {
    const { id, handle, address } = await call(agentsContract.get, { agent });
    const before = `What of its mail you want, export before: postroom mail export ${handle} FILE`;
    await confirm(`${before}\nRemove the agent ${handle} (${address}) for good?`, yes);
    return call(agentsContract.remove, { agent: id });
  },
  text: ({ handle, webhooks, ended }) =>
    [
      `${handle} is removed. Its mail is kept for as long as [agents] keep_removed_mail_days says.`,
      ...webhooks.map(
        ({ id, url }) =>
          `It made the webhook endpoint ${printable(url)} for the whole workspace, which goes on: \`postroom webhooks remove ${id}\` ends it.`,
      ),
      ...formatEnded(ended),
    ].join('\n'),
});

export const agentStateCommands = [rename, hold, guard, suspend, resume, remove];
