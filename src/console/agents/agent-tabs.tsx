/** The title row of an agent: its address, its state, its views. */

import { Link } from 'wouter-preact';
import type { Agent } from '../api/overview.ts';
import { AgentState } from '../components/agent-state.tsx';

const TABS = [
  ['', 'Mail'],
  ['/day', 'Day'],
  ['/settings', 'Settings'],
] as const;

const AgentTabs = ({ agent, current }: { agent: string; current: (typeof TABS)[number][1] }) => (
  <nav class="tabs" aria-label={agent}>
    {TABS.map(([path, words]) => (
      <Link key={path} href={`/agents/${agent}${path}`} aria-current={words === current ? 'page' : undefined}>
        {words}
      </Link>
    ))}
  </nav>
);

interface AgentHeadProps {
  handle: string;
  current: (typeof TABS)[number][1];
  /** Null or undefined while it loads. */
  agent: Pick<Agent, 'address' | 'status' | 'hold' | 'guard'> | null | undefined;
  /** Whether the tabs are left out on a phone. */
  isWide?: boolean;
}

export const AgentHead = ({ handle, current, agent, isWide = false }: AgentHeadProps) => (
  <>
    {agent && (
      <>
        <span class="dim mono wide-only clip">{agent.address}</span>
        <span class={isWide ? 'wide-only' : 'agent-state'}>
          <AgentState agent={agent} />
        </span>
      </>
    )}
    <span class={isWide ? 'contents wide-only' : 'contents'}>
      <AgentTabs agent={handle} current={current} />
    </span>
  </>
);
