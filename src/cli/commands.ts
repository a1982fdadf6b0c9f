/** Every command there is, in the order in which help shows them. */

import { agentCommands } from './agents.ts';
import type { Command } from './command.ts';
import { dnsCommands } from './dns.ts';
import { domainCommands } from './domains.ts';
import { initCommands } from './init.ts';
import { keyCommands } from './keys.ts';
import { queueCommands } from './queue.ts';
import { serveCommands } from './serve.ts';
import { workspaceCommands } from './workspaces.ts';

export const commands: readonly Command[] = [
  ...serveCommands,
  ...initCommands,
  ...workspaceCommands,
  ...agentCommands,
  ...keyCommands,
  ...domainCommands,
  ...dnsCommands,
  ...queueCommands,
];
