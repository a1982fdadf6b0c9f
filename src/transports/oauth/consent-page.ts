/** The page on which an owner consents to a client: its name, its scopes, and the agents. */

import { FURTHER_SCOPES } from '../../access/oauth-scopes.ts';
import { OFFLINE_ACCESS } from '../../kernel/caller.ts';
import type { OwnedAgent } from '../../store/oauth/oauth-grants.ts';
import { type Html, html, type PageContent } from '../pages/html.ts';

export interface ConsentView {
  /** The client's own name for itself. */
  clientName: string;
  /** The host of its metadata document; null for a registered client. */
  clientHost: string | null;
  redirectHost: string;
  /** In the order of the page. */
  scopes: readonly string[];
  agents: readonly OwnedAgent[];
  email: string;
  /** Protects the form against requests forged by other sites. */
  formToken: string;
  fault: string | null;
  /** The choices before a fault; null: the form was not sent yet. */
  ticked: { scopes: readonly string[]; agents: readonly string[]; reach: boolean } | null;
}

interface ScopeText {
  title: string;
  about: string;
}

const SCOPE_TEXTS: Readonly<Record<string, ScopeText>> = {
  'mail:read': { title: 'Read mail', about: 'Messages, attachments, threads and one-time codes in them.' },
  'mail:send': {
    title: 'Send mail',
    about:
      'In the agent’s name, now or at a later time, and webhook endpoints that are told of its mail. Holds, guards and quotas stay in force.',
  },
  contacts: {
    title: 'Read and change contacts',
    about: 'The whole workspace’s address book and what is remembered in it.',
  },
  notes: { title: 'Read and change notes', about: 'Notes that the agent may read, and the workspace’s knowledge.' },
  vault: {
    title: 'Read secrets',
    about: 'Passwords and codes of every secret granted to the agent. Each read is logged.',
  },
  manage: {
    title: 'Manage the agent, and delete mail',
    about:
      'Its name and filter rules, addresses that bounced, deleting for good. With the tick below, domains and mailboxes.',
  },
  [OFFLINE_ACCESS]: {
    title: 'Stay connected',
    about: 'Goes on for 30 days after each use, while you are away. Without it, the connection ends after an hour.',
  },
};

/** In the order of the page. */
export const SHOWN_SCOPES: readonly string[] = Object.keys(SCOPE_TEXTS);

/** The value of the box for all agents. */
export const EVERY_AGENT = '*';

/** @param handle of an agent, for the button's text; '' for any other box */
const box = (name: string, value: string, id: string, isTicked: boolean, handle = ''): Html =>
  html`<input type="checkbox" name="${name}" value="${value}" id="${id}"${handle === '' ? null : html` data-handle="${handle}"`}${isTicked ? html` checked` : null}>`;

const scopeRow = (scope: string, isTicked: boolean): Html => {
  const { title, about } = SCOPE_TEXTS[scope] ?? { title: scope, about: '' };
  const id = `scope-${scope.replace(':', '-')}`;
  return html`<li>${box('scope', scope, id, isTicked)}<div><label for="${id}"><strong>${title}</strong></label> <code>${scope}</code>
<p>${about}</p></div></li>
`;
};

const sendingOf = ({ hold, guard, isSuspended }: OwnedAgent): string => {
  if (isSuspended) return 'suspended';
  if (hold) return 'held';
  return guard ? 'guarded' : 'at once';
};

const agentRow = (agent: OwnedAgent, isTicked: boolean, ofSeveral: boolean): Html => {
  const id = `agent-${agent.handle}`;
  return html`<li><label for="${id}">${box('agent', agent.id, id, isTicked, agent.handle)}<span>${agent.handle}
<small>${sendingOf(agent)}${ofSeveral ? `, ${agent.workspaceName}` : null}</small></span></label></li>
`;
};

/** Few clients can be configured to name an agent, and without the name each request is refused. */
const SEVERAL = html`<p class="hint">With more than one, the application has to name the agent in each request, by the header
<code>X-Svc-Agent</code>. Few can: for one that cannot, tick one agent.</p>`;

/** The box for things that other agents made. */
const reachRow = (isTicked: boolean): Html =>
  html`<fieldset><legend>Beyond these agents</legend><ul class="choices"><li>${box('reach', 'workspace', 'reach', isTicked)}<div><label for="reach"><strong>The whole workspace</strong></label>
<p>It may have endpoints told of every agent’s mail and change what other agents made. Unticked, it keeps to its agents’ own.</p></div></li></ul></fieldset>
`;

/** For a client that cannot refresh. */
const FOR_AN_HOUR = html`<p class="note">The connection ends an hour after you say yes: the application cannot stay connected.</p>`;

export const showConsent = (view: ConsentView): PageContent => {
  const { clientName, clientHost, redirectHost, scopes, agents, email, formToken, fault, ticked } = view;
  const ofSeveral = new Set(agents.map(({ workspaceId }) => workspaceId)).size > 1;
  const isScopeTicked = (scope: string) => (ticked ? ticked.scopes.includes(scope) : !FURTHER_SCOPES.includes(scope));
  // A sole agent is ticked; of several the person chooses.
  const isAgentTicked = (id: string) => (ticked ? ticked.agents.includes(id) : agents.length === 1);
  const isEveryTicked = ticked ? ticked.agents.includes(EVERY_AGENT) : agents.length === 0;
  return {
    title: `Let “${clientName}” use your agents?`,
    hasScript: true,
    main: html`<p>It calls itself that; nobody has checked. ${
      clientHost === null ? null : html`It is described at <code>${clientHost}</code>. `
    }If you say yes, your answer goes to <strong><code>${redirectHost}</code></strong>.</p>
${fault === null ? null : html`<p role="alert">${fault}</p>`}
<form method="post">
<input type="hidden" name="form" value="${formToken}">
<fieldset><legend>For which agents</legend><ul class="pick">
${agents.map((agent) => agentRow(agent, isAgentTicked(agent.id), ofSeveral))}<li><label for="agent-every">${box('agent', EVERY_AGENT, 'agent-every', isEveryTicked)}<span>Every agent
<small>also those that you have later</small></span></label></li>
</ul>${SEVERAL}</fieldset>
<fieldset><legend>What it may do</legend><ul class="choices">
${scopes.map((scope) => scopeRow(scope, isScopeTicked(scope)))}</ul></fieldset>
${reachRow(ticked?.reach ?? false)}${scopes.includes(OFFLINE_ACCESS) ? null : FOR_AN_HOUR}<div class="acts"><button name="decision" value="refuse" class="quiet">Refuse</button>
<button name="decision" value="connect" id="connect">Connect${agents.length === 1 && !ticked ? ` to ${agents[0]?.handle}` : null}</button></div>
</form>
<p class="note">Signed in as ${email}. You can cut it off at any time. It stops at once; mail that it booked and has not gone is cancelled, and the webhook
endpoints that it made end.</p>`,
  };
};
