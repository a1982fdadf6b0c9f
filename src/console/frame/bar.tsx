/** The title row of a screen, and the bar at the thumb of a phone. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { heldCount, overview } from '../api/overview.ts';
import { count } from '../pieces/format.ts';
import { Aloud, Icon } from '../pieces/marks.tsx';

interface TitleProps {
  title: string;
  /** One line beside it. */
  context?: ComponentChildren;
  /** Quiet acts, and at most one primary one. */
  children?: ComponentChildren;
  /** The list that it is one of. */
  of?: { href: string; words: string };
  /** What the tab says, where the title says less. */
  tab?: string;
}

export const TitleRow = ({ title, context, children, of, tab }: TitleProps) => {
  const waiting = heldCount.value;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${count(waiting)}) ` : ''}${tab ?? title} · Postroom`;
  }, [tab, title, waiting]);
  return (
    <header class="bar">
      {of && (
        <span class="crumb wide-only">
          <Link href={of.href}>{of.words}</Link> /
        </span>
      )}
      <h1 class={of ? 'clip long' : 'clip'}>{title}</h1>
      {context}
      <div class="end">{children}</div>
    </header>
  );
};

const DRAWER = 'drawer';

export const PhoneBar = () => {
  const [path] = useLocation();
  const agents = overview.value?.agents ?? [];
  const isMail = path.startsWith('/agents/');
  const busiest = agents.toSorted((a, b) => (b.counts?.unread ?? 0) - (a.counts?.unread ?? 0))[0];
  const mail = isMail ? `/agents/${path.split('/')[2]}` : busiest ? `/agents/${busiest.handle}` : '/agents';
  return (
    <nav class="tabbar" aria-label="Main">
      <Link href="/" aria-current={path === '/' ? 'page' : undefined}>
        <Icon name="home" />
        Home
      </Link>
      <Link href="/approvals" aria-current={path.startsWith('/approvals') ? 'page' : undefined}>
        <Icon name="approve" />
        Approvals
        {heldCount.value > 0 && (
          <span class="count">
            {count(heldCount.value)}
            <Aloud> held</Aloud>
          </span>
        )}
      </Link>
      <Link href={mail} aria-current={isMail ? 'page' : undefined}>
        <Icon name="mail" />
        Mail
      </Link>
      <Link href="/vault" aria-current={path.startsWith('/vault') ? 'page' : undefined}>
        <Icon name="lock" />
        Vault
      </Link>
      <button type="button" {...{ popovertarget: DRAWER }}>
        <Icon name="menu" />
        More
      </button>
    </nav>
  );
};

export const Drawer = ({ children }: { children: ComponentChildren }) => {
  const [path] = useLocation();
  useEffect(() => {
    document.querySelector<HTMLElement>(`#${DRAWER}:popover-open`)?.hidePopover();
  }, [path]);
  return (
    <div class="drawer rail" id={DRAWER} popover="auto">
      {children}
    </div>
  );
};
