/** Agents, as owners and the operator manage them. */

import { z } from 'zod';
import { agentInput, idOutput, lookedUpInput, shownNameInput, timeOutput } from '../../kernel/fields.ts';
import { personOperation } from '../../kernel/operation.ts';
import { endedShape } from '../connections/contract.ts';

export const agentShape = z.object({
  id: idOutput,
  handle: z.string(),
  address: z.string(),
  display_name: z.string().nullable(),
  description: z.string().nullable(),
  status: z.enum(['active', 'suspended']),
  filter_mode: z.enum(['blacklist', 'whitelist']),
  hold: z.boolean(),
  guard: z.boolean(),
  workspace: z.string().nullable(),
  workspace_id: idOutput,
  mailbox_id: idOutput,
  domain_id: idOutput,
  created_at: timeOutput,
});

/** An agent's states, which a person sets. */
export const agentStateShape = agentShape.pick({ id: true, handle: true, status: true, hold: true, guard: true });

export const agentsContract = {
  add: personOperation({
    workspace: 'required',
    activity: 'agent.add',
    input: z.strictObject({
      handle: z.string(),
      domain: lookedUpInput.optional().describe("A domain of the workspace; left out, the workspace's subdomain"),
      display_name: shownNameInput(200).nullable().default(null),
      hold: z.boolean().default(false),
    }),
    output: z.object({ id: idOutput, handle: z.string(), address: z.string(), api_key: z.string() }),
  }),
  list: personOperation({
    workspace: 'optional',
    output: z.object({ agents: z.array(agentShape) }),
  }),
  /** Shows an agent, also by a name that it had before. */
  get: personOperation({
    input: z.strictObject({ agent: agentInput }),
    output: agentShape.extend({
      former_addresses: z.array(z.object({ address: z.string(), receives_until: timeOutput })),
    }),
  }),
  /** Changes the name that recipients see beside the address; null: none. */
  rename: personOperation({
    activity: 'agent.rename',
    input: z.strictObject({ agent: agentInput, display_name: shownNameInput(200).nullable() }),
    output: agentStateShape,
  }),
  /** Holds every mail of an agent for review; hold=false ends it. */
  hold: personOperation({
    activity: 'agent.hold',
    input: z.strictObject({ agent: agentInput, hold: z.boolean().default(true) }),
    output: agentStateShape,
  }),
  /** Holds what an agent sends because of mail that did not authenticate; guard=false ends it. */
  guard: personOperation({
    activity: 'agent.guard',
    input: z.strictObject({ agent: agentInput, guard: z.boolean().default(true) }),
    output: agentStateShape,
  }),
  /** Stops an agent: its mailbox neither takes nor sends mail; its keys still read. What is queued goes on. */
  suspend: personOperation({
    activity: 'agent.suspend',
    input: z.strictObject({ agent: agentInput }),
    output: agentStateShape,
  }),
  resume: personOperation({
    activity: 'agent.resume',
    input: z.strictObject({ agent: agentInput }),
    output: agentStateShape,
  }),
  /** Removes an agent for good: keys, address and what it would still send end; its handle is never given again. */
  remove: personOperation({
    activity: 'agent.remove',
    input: z.strictObject({ agent: agentInput }),
    output: z.object({
      id: idOutput,
      handle: z.string(),
      removed: z.literal(true),
      webhooks: z
        .array(z.object({ id: idOutput, url: z.string() }))
        .describe('Endpoints that it made, which ended with it'),
      ended: endedShape,
    }),
  }),
};

export type AgentStateView = z.infer<typeof agentStateShape>;
