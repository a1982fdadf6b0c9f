/** The rail: workspace, screens, agents, and the person at the foot. On a phone it is the drawer. */

import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { countText, heldCount, isStale, overview, unreadText } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { AgentMark } from '../components/agent-state.tsx';
import { Button } from '../components/controls.tsx';
import { count } from '../components/format.ts';
import { Aloud, Icon } from '../components/marks.tsx';
import { GROUPS, linkOf, SCREENS, type Screen } from './screens.ts';
import { Switcher } from './switcher.tsx';
import { toggleTheme } from './theme.ts';

/** Agents shown; further ones are behind a filter and the list of all. */
const MOST_AGENTS = 8;

type Agents = NonNullable<typeof overview.value>['agents'];

/** The one that is shown, those with unread or held mail, and those used last; by name. */
const chosenOf = (agents: Agents, current: string | undefined): Agents => {
  const held = new Set(overview.value?.heldBy.map(({ agent }) => agent));
  const rank = ({ handle, counts }: Agents[number]): number =>
    handle === current ? 2 : Number((counts?.unread ?? 0) > 0 || held.has(handle));
  const lastUse = ({ counts }: Agents[number]): string => counts?.last_active_at ?? '';
  return agents
    .toSorted((one, other) => rank(other) - rank(one) || lastUse(other).localeCompare(lastUse(one)))
    .slice(0, MOST_AGENTS)
    .toSorted((one, other) => one.handle.localeCompare(other.handle));
};

const ScreenLink = ({ screen }: { screen: Screen }) => {
  const [path] = useLocation();
  const link = linkOf(screen);
  const isCurrent = link === '/' ? path === '/' : path === link || path.startsWith(`${link}/`);
  return (
    <Link href={link} aria-current={isCurrent ? 'page' : undefined}>
      {screen.icon && <Icon name={screen.icon} />}
      {screen.title}
      {link === '/approvals' && heldCount.value > 0 && (
        <span class="count due">
          {count(heldCount.value)}
          <Aloud> held messages</Aloud>
        </span>
      )}
      {link === '/mail' && unreadText.value !== '' && (
        <span class="count">
          {unreadText.value}
          <Aloud> unread</Aloud>
        </span>
      )}
    </Link>
  );
};

const AgentLinks = () => {
  const [path] = useLocation();
  const [text, setText] = useState('');
  const agents = overview.value?.agents ?? [];
  const words = text.trim().toLowerCase();
  const current = path.split('/')[2];
  const matching = agents.filter(({ handle, address }) => handle.includes(words) || address.includes(words));
  const shown = agents.length <= MOST_AGENTS ? agents : chosenOf(matching, current);
  return (
    <>
      {agents.length > MOST_AGENTS && (
        <div class="find rail-find">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label="Filter agents"
            placeholder={`Filter ${count(agents.length)} agents`}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
      )}
      {shown.map((agent) => (
        <Link
          key={agent.id}
          class="sub"
          href={`/agents/${agent.handle}`}
          aria-current={current === agent.handle ? 'page' : undefined}
        >
          <AgentMark agent={agent} />
          <span class="clip">{agent.handle}</span>
          {agent.counts && agent.counts.unread > 0 && (
            <span class="count">
              {countText(agent.counts.unread)}
              <Aloud> unread</Aloud>
            </span>
          )}
        </Link>
      ))}
      {agents.length > MOST_AGENTS && (
        <Link class="sub all" href="/agents" aria-current={path === '/agents' ? 'page' : undefined}>
          {words !== '' && shown.length === 0 ? 'None is called so; all' : 'All'} {count(agents.length)} agents
        </Link>
      )}
    </>
  );
};

export const Rail = () => {
  const [path] = useLocation();
  return (
    <>
      <Switcher />
      <nav aria-label="Console" class={overview.value === null && !isStale.value ? 'loads' : undefined}>
        {SCREENS.filter(({ group }) => group === 'top').map((screen) => (
          <ScreenLink key={screen.path} screen={screen} />
        ))}
        <h2>
          <Link class="heading" href="/agents" aria-current={path === '/agents' ? 'page' : undefined}>
            Agents
          </Link>
        </h2>
        <AgentLinks />
        {GROUPS.map((group) => {
          const screens = SCREENS.filter((screen) => screen.group === group);
          return (
            screens.length > 0 && (
              <div key={group}>
                <h2>{group}</h2>
                {screens.map((screen) => (
                  <ScreenLink key={screen.path} screen={screen} />
                ))}
              </div>
            )
          );
        })}
      </nav>
      <footer>
        <Link class="clip person" href="/you" aria-current={path === '/you' ? 'page' : undefined}>
          {session.value?.email}
        </Link>
        <Button kind="quiet" isSmall icon="theme" label="Switch between light and dark" onClick={toggleTheme} />
      </footer>
    </>
  );
};
