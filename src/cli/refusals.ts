/** Refusals of operations in the command line's words: with the given value, and the command that helps. */

import type { ApiError, ErrorCode } from '../kernel/errors.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Candidate {
  id: string;
  slug: string;
  name: string;
}

const formatCandidates = (candidates: unknown): string =>
  (candidates as Candidate[]).map(({ id, slug, name }) => `  ${slug}  ${name}  ${id}`).join('\n');

const TEXTS: Readonly<Partial<Record<ErrorCode, (fields: Fields) => string>>> = {
  workspace_not_found: ({ workspace }) =>
    `No workspace is called ${workspace}. \`postroom workspaces list\` shows those there are.`,
  workspace_ambiguous: ({ workspace, candidates }) =>
    `Several workspaces are called ${workspace}; give the slug of one:\n${formatCandidates(candidates)}`,
  workspace_exists: ({ name, slug }) => `There is a workspace ${name} already (${slug}). Give this one another name.`,
  workspace_already_paused: ({ workspace, reason }) => `${workspace} is paused already (${reason}).`,
  workspace_not_restrained: ({ workspace }) => `Nothing holds ${workspace} back.`,
  owner_not_found: ({ email, named_by }) =>
    named_by === undefined
      ? `${email} is no owner there. \`postroom owners list\` shows those there are.`
      : `${email} is named by an unclaimed signup: postroom owners add ${email} --workspace ${(named_by as string[]).join(' or ')}`,
  owner_exists: ({ email, workspace }) => `${email} owns ${workspace} already.`,
  last_owner: ({ email, workspace }) =>
    `${email} is the last owner of ${workspace}. Add another one first: postroom owners add EMAIL --workspace ${workspace}`,
  agent_not_found: ({ agent, of_workspace, wanted }) =>
    of_workspace === undefined
      ? `No agent is called ${agent}. \`postroom agents list\` shows those there are.`
      : `${agent} is an agent of the workspace ${of_workspace}, and the secret is of ${wanted}: a secret is granted within its workspace alone.`,
  domain_not_found: ({ domain, workspace, domains }) =>
    workspace === undefined
      ? `${domain} is no domain of this instance. \`postroom domains list\` shows those there are.`
      : `${domain} is no domain of the workspace ${workspace}. It has: ${(domains as string[]).join(', ')}`,
  domain_ambiguous: ({ domain, candidates }) =>
    `Several workspaces have added ${domain}: add --workspace with one of these:\n${formatCandidates(candidates)}`,
  dkim_key_not_published: ({ domain, name, hint }) =>
    name === null
      ? `${domain} has no next DKIM key, and nothing was changed.`
      : `The next DKIM key of ${domain} was not found at ${name}, and nothing was changed.${hint === null ? '' : ` ${hint}`}`,
  key_not_found: ({ key_id }) => `No key has the id ${key_id}. \`postroom keys list\` shows those there are.`,
  key_already_revoked: ({ name }) => `The key ${name} is revoked already.`,
  pending_not_found: ({ pending_id }) => `No held mail has the id ${pending_id}. \`postroom pending list\` shows them.`,
  held_mail_already_decided: ({ status, decided_at }) =>
    `This mail is ${status} since ${decided_at}: it cannot be decided twice.`,
  box_not_leading: ({ box }) => `${box} does not lead. \`postroom box list\` shows which one does.`,
  delivery_not_found: ({ delivery_id }) =>
    `No delivery has the id ${delivery_id}. \`postroom queue list\` shows those under way.`,
  delivery_not_waiting: ({ status, attempting }) =>
    attempting ? 'An attempt is under way; look again in a while.' : `This delivery is ${status} already.`,
  secret_not_found: ({ secret }) => `No secret is called ${secret}. \`postroom secrets list\` shows those there are.`,
  secret_ambiguous: ({ secret }) => `Several workspaces have a secret ${secret}: add --workspace, or give its id.`,
  secret_not_granted: ({ secret, agent }) => `${secret} is not granted to ${agent}.`,
  secret_exists: ({ name }) => `There is a secret ${name} already. \`postroom secrets change\` gives it another value.`,
  secret_limit_reached: ({ limit }) => `A workspace has at most ${limit} secrets. Remove some.`,
  suppression_not_found: ({ address, workspace }) => `${address} is not suppressed in ${workspace}.`,
};

/** Null where the interface's hint suffices. */
export const refusalText = ({ code, fields }: ApiError): string | null => TEXTS[code]?.(fields) ?? null;
