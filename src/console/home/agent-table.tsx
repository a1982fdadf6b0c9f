import { Link } from 'wouter-preact';
import { countText, type Overview } from '../api/overview.ts';
import { AgentState } from '../components/agent-state.tsx';
import { Empty, Table, Time } from '../components/blocks.tsx';
import { ButtonLink } from '../components/controls.tsx';

const NoAgents = () => (
  <Empty icon="people" title="No agents yet" act={<ButtonLink href="/agents?new" icon="plus" words="New agent" />}>
    An agent has an address, a mailbox and a key. It may also sign up by itself and name you as its owner.
  </Empty>
);

export const AgentTable = ({ agents }: { agents: Overview['agents'] }) => (
  <Table
    heads={['Agent', 'Address', 'Sends', '#Unread', '#In today', '#Out today', '#Last active']}
    of={agents}
    class="agents"
    empty={<NoAgents />}
  >
    {({ counts, ...agent }) => (
      <tr key={agent.id}>
        <td class="full">
          <Link class="strong clip" href={`/agents/${agent.handle}`}>
            {agent.handle}
          </Link>
        </td>
        <td class="full dim mono">
          <span class="clip">{agent.address}</span>
        </td>
        <td>
          <AgentState agent={agent} />
        </td>
        <td class="num">
          {countText(counts?.unread ?? 0)}
          <span class="phone"> unread</span>
        </td>
        <td class="num wide-only">{countText(counts?.in_today ?? 0)}</td>
        <td class="num wide-only">{countText(counts?.out_today ?? 0)}</td>
        <td class="num dim wide-only">
          {counts?.last_active_at ? <Time at={counts.last_active_at} as="ago" /> : 'never'}
        </td>
      </tr>
    )}
  </Table>
);
