/** Every command there is, in the order in which help shows them. */

import type { Command } from '../command.ts';
import { activityCommands } from './activity.ts';
import { agentStateCommands } from './agent-states.ts';
import { agentCommands } from './agents.ts';
import { connectionCommands } from './connections.ts';
import { contactCommands } from './contacts.ts';
import { dnsCommands } from './dns.ts';
import { domainCommands } from './domains.ts';
import { initCommands } from './init.ts';
import { keyCommands } from './keys.ts';
import { mcpCommands } from './mcp.ts';
import { noteCommands } from './notes.ts';
import { pendingCommands } from './pending.ts';
import { queueCommands } from './queue.ts';
import { secretCommands } from './secrets.ts';
import { serveCommands } from './serve.ts';
import { suppressionCommands } from './suppressions.ts';
import { vaultCommands } from './vault.ts';
import { ownerCommands } from './workspaces/owners.ts';
import { workspaceStateCommands } from './workspaces/workspace-states.ts';
import { workspaceCommands } from './workspaces/workspaces.ts';

export const commands: readonly Command[] = [
  ...serveCommands,
  ...initCommands,
  ...workspaceCommands,
  ...workspaceStateCommands,
  ...ownerCommands,
  ...agentCommands,
  ...agentStateCommands,
  ...keyCommands,
  ...connectionCommands,
  ...domainCommands,
  ...dnsCommands,
  ...pendingCommands,
  ...queueCommands,
  ...suppressionCommands,
  ...contactCommands,
  ...noteCommands,
  ...secretCommands,
  ...vaultCommands,
  ...activityCommands,
  ...mcpCommands,
];
