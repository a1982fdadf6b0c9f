/** The palette's own entries: screens, agents, workspaces, acts. */

import { useLocation } from 'wouter-preact';
import { heldCount, overview } from '../api/overview.ts';
import { session, showWorkspace, trySignOut, workspace } from '../api/session.ts';
import type { IconName } from '../components/icons.ts';
import { asked } from '../frame/asked.ts';
import { askToPauseSending } from '../frame/pause-sending.tsx';
import { linkOf, SCREENS } from '../frame/screens.ts';
import { toggleTheme } from '../frame/theme.ts';
import { composing } from '../writing/composing.ts';

export interface Hit {
  id: string;
  icon: IconName;
  words: string;
  /** Shown fainter beside it; searched as well. */
  more?: string;
  /** Synonyms, which are searched but not shown. */
  also?: string;
  /** At the edge: an agent and a time, a count. */
  end?: string;
  /** Keys that do the same. */
  keys?: string;
  run: () => void;
}

export interface Group {
  name: string;
  hits: Hit[];
}

export const useCommands = (showKeys: () => void): Record<'agents' | 'screens' | 'acts', Hit[]> => {
  const [, go] = useLocation();
  const openForm = (what: NonNullable<typeof asked.value>, at: string) => (): void => {
    go(at);
    asked.value = what;
  };
  const write = (): void => {
    composing.value = {};
  };
  const screens = SCREENS.filter((screen) => !linkOf(screen).includes(':')).map((screen) => ({
    id: screen.path,
    words: screen.title,
    icon: screen.icon ?? ('out' as const),
    run: () => go(linkOf(screen)),
    ...(screen.key !== undefined && { keys: `g ${screen.key}` }),
  }));
  const agents = (overview.value?.agents ?? []).flatMap(({ handle, address }): Hit[] => [
    {
      id: `mail ${handle}`,
      words: handle,
      more: address,
      end: 'Mail',
      icon: 'mail',
      run: () => go(`/agents/${handle}`),
    },
    {
      id: `settings ${handle}`,
      words: handle,
      end: 'Settings',
      icon: 'gauge',
      run: () => go(`/agents/${handle}/settings`),
    },
  ]);
  const others = (session.value?.workspaces ?? []).filter(({ slug }) => slug !== workspace.value?.slug);
  const state = workspace.value?.sending_state;
  const acts: Hit[] = [
    ...(heldCount.value > 0
      ? [
          {
            id: 'decide',
            words: 'Decide the next held mail',
            also: 'approve reject',
            icon: 'approve' as const,
            keys: 'g a',
            run: () => go('/approvals'),
          },
        ]
      : []),
    { id: 'new-mail', words: 'New mail', also: 'write compose', icon: 'mail', keys: 'c', run: write },
    { id: 'drafts', words: 'Drafts', icon: 'note', run: () => go('/mail?show=drafts') },
    { id: 'new-secret', words: 'New secret', icon: 'key', run: openForm('secret', '/vault') },
    { id: 'new-agent', words: 'New agent', icon: 'plus', run: () => go('/agents?new') },
    { id: 'new-contact', words: 'New contact', icon: 'people', run: openForm('contact', '/contacts') },
    { id: 'new-note', words: 'New note', icon: 'note', run: openForm('note', '/notes') },
    { id: 'new-domain', words: 'Add a domain', icon: 'globe', run: openForm('domain', '/domains') },
    state === 'paused'
      ? { id: 'resume', words: 'Resume sending…', end: 'asks first', icon: 'out', run: () => go('/') }
      : { id: 'pause', words: 'Pause sending…', end: 'asks first', icon: 'stop', run: askToPauseSending },
    { id: 'theme', words: 'Switch between light and dark', also: 'theme', icon: 'theme', run: toggleTheme },
    { id: 'keys', words: 'All keys', icon: 'key', keys: '?', run: showKeys },
    ...others.map(
      ({ name, slug }): Hit => ({
        id: `workspace ${slug}`,
        words: name,
        end: 'Workspace',
        icon: 'updown',
        run: () => showWorkspace(slug),
      }),
    ),
    { id: 'sign-out', words: 'Sign out', icon: 'x', run: () => void trySignOut(() => go('/you')) },
  ];
  return { agents, screens, acts };
};
