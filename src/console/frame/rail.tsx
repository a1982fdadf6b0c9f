/** The rail: workspace, screens, agents, and the person at the foot. On a phone it is the drawer. */

import { Link, useLocation } from 'wouter-preact';
import { heldCount, overview, unreadCount } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { AgentMark } from '../pieces/agent-state.tsx';
import { Button } from '../pieces/controls.tsx';
import { count } from '../pieces/format.ts';
import { Aloud, Icon } from '../pieces/marks.tsx';
import { GROUPS, linkOf, SCREENS, type Screen } from './screens.ts';
import { Switcher } from './switcher.tsx';
import { toggleTheme } from './theme.ts';

/** Beyond them the list of all agents has them. */
const MOST_AGENTS = 30;

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
      {link === '/mail' && unreadCount.value > 0 && (
        <span class="count">
          {count(unreadCount.value)}
          <Aloud> unread</Aloud>
        </span>
      )}
    </Link>
  );
};

const AgentLinks = () => {
  const [path] = useLocation();
  const agents = overview.value?.agents ?? [];
  return (
    <>
      {agents.slice(0, MOST_AGENTS).map((agent) => (
        <Link
          key={agent.id}
          class="sub"
          href={`/agents/${agent.handle}`}
          aria-current={path.split('/')[2] === agent.handle ? 'page' : undefined}
        >
          <AgentMark agent={agent} />
          <span class="clip">{agent.handle}</span>
          {agent.counts && agent.counts.unread > 0 && (
            <span class="count">
              {count(agent.counts.unread)}
              <Aloud> unread</Aloud>
            </span>
          )}
        </Link>
      ))}
      {agents.length > MOST_AGENTS && (
        <Link class="sub" href="/agents">
          All {count(agents.length)} agents
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
      <nav aria-label="Console">
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
