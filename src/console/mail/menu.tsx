/** Acts behind "⋯": native details, which a press outside and Escape close. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/marks.tsx';

interface MenuProps {
  /** As in "More for the message of …". */
  label: string;
  children: ComponentChildren;
}

export const Menu = ({ label, children }: MenuProps) => {
  const menu = useRef<HTMLDetailsElement>(null);
  const [isUp, setUp] = useState(false);
  const close = (): void => menu.current?.removeAttribute('open');
  useEffect(() => {
    const onPress = ({ target }: PointerEvent): void => {
      if (target instanceof Node && !menu.current?.contains(target)) close();
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, []);
  return (
    <details
      class={`acts-menu ${isUp ? 'up' : ''}`}
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !menu.current?.open) return;
        event.stopPropagation();
        close();
        menu.current.querySelector('summary')?.focus();
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: browsers press a summary by keys too */}
      <summary
        class="btn quiet small icon"
        aria-label={label}
        // Before it opens: a list that turned afterwards would jump.
        onClick={({ currentTarget }) => setUp(currentTarget.getBoundingClientRect().top > innerHeight / 2)}
      >
        <Icon name="more" />
      </summary>
      <ul onClick={close}>{children}</ul>
    </details>
  );
};

interface ActProps {
  words: string;
  /** The key that does the same. */
  hint?: string;
  onClick: () => void;
}

export const MenuAct = ({ words, hint, onClick }: ActProps) => (
  <li>
    <button type="button" onClick={onClick}>
      {words}
      {hint && <kbd aria-hidden="true">{hint}</kbd>}
    </button>
  </li>
);
