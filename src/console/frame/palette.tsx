/** The command palette (Ctrl or Cmd and K): screens, agents, workspaces and a few acts, by their words. */

import { useId, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { overview } from '../api/overview.ts';
import { session, showWorkspace, trySignOut, workspace } from '../api/session.ts';
import type { IconName } from '../pieces/icons.ts';
import { Icon } from '../pieces/marks.tsx';
import { useModal } from '../pieces/modal.ts';
import { linkOf, SCREENS } from './screens.ts';
import { toggleTheme } from './theme.ts';

interface Command {
  words: string;
  of: string;
  icon: IconName;
  run: () => void;
}

const MOST_SHOWN = 12;

const useCommands = (showKeys: () => void): Command[] => {
  const [, go] = useLocation();
  const screens = SCREENS.filter(({ path, link }) => link !== undefined || !path.includes(':')).map((screen) => ({
    ...{ words: screen.title, of: 'Go to', icon: screen.icon ?? ('out' as const), run: () => go(linkOf(screen)) },
  }));
  const agents = (overview.value?.agents ?? []).flatMap(({ handle }) => [
    { words: handle, of: 'Mail of', icon: 'mail' as const, run: () => go(`/agents/${handle}`) },
    { words: handle, of: 'Settings of', icon: 'gauge' as const, run: () => go(`/agents/${handle}/settings`) },
  ]);
  const workspaces = (session.value?.workspaces ?? [])
    .filter(({ slug }) => slug !== workspace.value?.slug)
    .map(({ name, slug }) => ({
      words: name,
      of: 'Workspace',
      icon: 'updown' as const,
      run: () => showWorkspace(slug),
    }));
  return [
    ...screens,
    ...agents,
    ...workspaces,
    { words: 'New agent', of: 'Do', icon: 'plus', run: () => go('/agents?new') },
    { words: 'Switch between light and dark', of: 'Do', icon: 'theme', run: toggleTheme },
    { words: 'All keys', of: 'Show', icon: 'key', run: showKeys },
    { words: 'Sign out', of: 'Do', icon: 'x', run: () => void trySignOut(() => go('/you')) },
  ];
};

/** All words somewhere in it; a match at a beginning first. */
const rank = ({ words, of }: Command, text: string): number => {
  const whole = `${of} ${words}`.toLowerCase();
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!asked.every((word) => whole.includes(word))) return 0;
  return words.toLowerCase().startsWith(asked[0] ?? '') ? 2 : 1;
};

export const Palette = ({ onClose, showKeys }: { onClose: () => void; showKeys: () => void }) => {
  const modal = useModal(onClose);
  const id = useId().replaceAll(':', '');
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands(showKeys);
  const found = commands
    .map((command) => ({ command, rank: rank(command, text) }))
    .filter((each) => each.rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST_SHOWN)
    .map(({ command }) => command);
  const choose = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <dialog {...modal} class="palette" aria-label="Go to">
      <div class="find">
        <Icon name="search" />
        <input
          class="input"
          role="combobox"
          aria-label="Screen, agent or act"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
          placeholder="Screen, agent or act"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={id} role="listbox" aria-label="Found">
        {found.map((command, index) => (
          <li
            key={`${command.of} ${command.words}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(command)}
          >
            <Icon name={command.icon} />
            <span class="faint">{command.of}</span> {command.words}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="dim">Nothing matches.</p>}
    </dialog>
  );
};
