/** Find or do (Ctrl or Cmd and K): mail, people, secrets, domains, notes, agents, screens and acts, by their words. */

import { useId, useState } from 'preact/hooks';
import { Button } from '../components/controls.tsx';
import { Icon } from '../components/marks.tsx';
import { useModal } from '../components/modal.ts';
import type { Hit } from './commands.ts';
import { useGroups } from './groups.ts';

const PLACEHOLDER = 'Find mail, people, secrets, or do something';

/** Highlights the typed text. */
const Typed = ({ words, text }: { words: string; text: string }) => {
  const at = text === '' ? -1 : words.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return <>{words}</>;
  return (
    <>
      {words.slice(0, at)}
      <b>{words.slice(at, at + text.length)}</b>
      {words.slice(at + text.length)}
    </>
  );
};

const Edge = ({ hit: { keys, end = '' } }: { hit: Hit }) => (
  <span class="end">
    {keys === undefined ? (
      <bdi>{end}</bdi>
    ) : (
      keys.split(' ').map((key) => (
        <kbd key={key} aria-hidden="true">
          {key}
        </kbd>
      ))
    )}
  </span>
);

export const Palette = ({ onClose, showKeys }: { onClose: () => void; showKeys: () => void }) => {
  const modal = useModal(onClose);
  const id = useId().replaceAll(':', '');
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { groups, isPending, ms, text } = useGroups(typed, showKeys);
  const all = groups.flatMap(({ hits }) => hits);
  // Selected by identity, so that entries above do not change the selection.
  const at = Math.max(
    0,
    all.findIndex((hit) => hit.id === chosen),
  );
  const select = (index: number): void => {
    const hit = all[(index + all.length) % all.length];
    setChosen(hit?.id ?? null);
    document.querySelector(`[id="${id}-${hit?.id}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const choose = (hit: Hit | undefined): void => {
    if (!hit) return;
    onClose();
    hit.run();
  };
  const toNextKind = (): void => {
    const own = groups.findIndex(({ hits }) => hits.some((hit) => hit === all[at]));
    const next = groups[(own + 1) % groups.length]?.hits[0];
    if (next) select(all.indexOf(next));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.isComposing || all.length === 0) return;
    if (step !== 0) select(at + step);
    else if (event.key === 'Enter') choose(all[at]);
    else if (event.key === 'Tab' && !event.shiftKey) toNextKind();
    else return;
    event.preventDefault();
  };
  return (
    <dialog {...modal} class="palette" aria-label="Find or do">
      <div class="find">
        <Icon name="search" />
        <input
          class="input"
          role="combobox"
          aria-label="Find or do"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={all[at] ? `${id}-${all[at].id}` : undefined}
          placeholder={PLACEHOLDER}
          autocomplete="off"
          maxLength={200}
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setChosen(null);
          }}
          onKeyDown={onKeyDown}
        />
        <Button class="phone-bar shut" kind="quiet" icon="x" label="Close" onClick={onClose} />
      </div>
      <div class="hits" id={id} role="listbox" aria-label="Found">
        {groups.map(({ name, hits }) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a list box, not fields of a form
          <div key={name} role="group" aria-label={name}>
            <div class="gh" aria-hidden="true">
              {name}
            </div>
            {hits.map((hit) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
              <div
                key={hit.id}
                id={`${id}-${hit.id}`}
                class="hit"
                role="option"
                aria-selected={hit === all[at]}
                onClick={() => choose(hit)}
              >
                <Icon name={hit.icon} />
                <span class="clip">
                  <bdi>
                    <Typed words={hit.words} text={text} />
                  </bdi>{' '}
                  {hit.more && (
                    <bdi class="faint">
                      <Typed words={hit.more} text={text} />
                    </bdi>
                  )}
                </span>
                <Edge hit={hit} />
              </div>
            ))}
          </div>
        ))}
      </div>
      {all.length === 0 && !isPending && (
        <div class="empty slim" role="status">
          <Icon name="search" />
          <p class="strong">Nothing is called “{text}”</p>
          <p>Mail, contacts, secrets, domains, notes, agents, screens and acts were searched.</p>
        </div>
      )}
      <footer>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span>
          <kbd>Tab</kbd> next kind
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
        <span class="end" role="status">
          {isPending ? 'looking…' : ms === null ? '' : `${all.length} found, ${ms} ms`}
        </span>
      </footer>
    </dialog>
  );
};
