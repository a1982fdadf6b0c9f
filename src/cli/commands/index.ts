/** Every command, in the order of the help. */

import type { Command } from '../command.ts';
import { activityCommands } from './activity.ts';
import { agentStateCommands } from './agent-states.ts';
import { agentCommands } from './agents.ts';
import { connectionCommands } from './connections.ts';
import { contactCommands } from './contacts.ts';
import { dnsCommands } from './dns.ts';
import { domainCommands } from './domains.ts';
import { keyCommands } from './keys.ts';
import { exportMail } from './mail/export-mail.ts';
import { importMail } from './mail/import-mail.ts';
import { mcpCommands } from './mcp.ts';
import { noteCommands } from './notes.ts';
import { backupCommands } from './operate/backup.ts';
import { boxCommands } from './operate/box.ts';
import { compactCommands } from './operate/compact.ts';
import { dataCommands } from './operate/data.ts';
import { doctorCommands } from './operate/doctor.ts';
import { initCommands } from './operate/init.ts';
import { readyCommands } from './operate/ready.ts';
import { serveCommands } from './operate/serve.ts';
import { storageCommands } from './operate/storage.ts';
import { tlsCommands } from './operate/tls.ts';
import { traceCommands } from './operate/trace.ts';
import { vaultCommands } from './operate/vault.ts';
import { pendingCommands } from './pending.ts';
import { queueCommands } from './queue.ts';
import { secretCommands } from './secrets.ts';
import { suppressionCommands } from './suppressions.ts';
import { webhookCommands } from './webhooks.ts';
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
  ...traceCommands,
  exportMail,
  importMail,
  ...suppressionCommands,
  ...webhookCommands,
  ...contactCommands,
  ...noteCommands,
  ...secretCommands,
  ...vaultCommands,
  ...tlsCommands,
  ...doctorCommands,
  ...readyCommands,
  ...backupCommands,
  ...dataCommands,
  ...compactCommands,
  ...storageCommands,
  ...boxCommands,
  ...activityCommands,
  ...mcpCommands,
];
