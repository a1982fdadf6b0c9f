/** The title row of a screen, and the bar at the thumb of a phone. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { heldCount } from '../api/overview.ts';
import { count } from '../components/format.ts';
import { Aloud, Icon } from '../components/marks.tsx';
import { keepRecent } from '../palette/recent.ts';
import { readerHeadings } from './reader-head.tsx';

interface TitleProps {
  title: string;
  /** One line beside it. */
  context?: ComponentChildren;
  /** Quiet acts, and at most one primary one. */
  children?: ComponentChildren;
  /** The list that it belongs to. */
  of?: { href: string; words: string };
  /** The tab's text, where it has more than the title. */
  tab?: string;
  /** The open entry's name where the row does not show it. */
  entry?: string | undefined;
  /** The open entry, which has the page's heading once loaded; a phone shows it here, with a link back. */
  open?: { name: string | null; back: string; acts: ComponentChildren } | undefined;
}

export const TitleRow = ({ title, context, children, of, tab, entry, open }: TitleProps) => {
  const waiting = heldCount.value;
  const name = open?.name ?? null;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${count(waiting)}) ` : ''}${tab ?? name ?? title} · Postroom`;
  }, [tab, title, name, waiting]);
  const [path] = useLocation();
  useEffect(() => {
    if (!open || name !== null) keepRecent(path, entry ?? name ?? title);
  }, [path, title, entry, name]);
  return (
    <header class="bar">
      {of && (
        <span class="crumb wide-only">
          <Link href={of.href}>{of.words}</Link> /
        </span>
      )}
      {open && (
        <Link class="btn quiet icon phone-bar" href={open.back} aria-label={`Back to ${title}`}>
          <Icon name="back" />
        </Link>
      )}
      {name === null && readerHeadings.value > 0 ? (
        <p class="bar-title clip">{title}</p>
      ) : name === null ? (
        <h1 class="clip">{title}</h1>
      ) : (
        <>
          <p class="bar-title clip wide-only">{title}</p>
          <h1 class="clip phone-bar">
            <bdi>{name}</bdi>
          </h1>
        </>
      )}
      {open && <div class="end phone-bar">{open.acts}</div>}
      {context}
      <div class={open ? 'end wide-only' : 'end'}>{children}</div>
    </header>
  );
};

const DRAWER = 'drawer';

export const PhoneBar = () => {
  const [path] = useLocation();
  const isMail = path === '/mail' || path.startsWith('/agents/');
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
      <Link href="/mail" aria-current={isMail ? 'page' : undefined}>
        <Icon name="mail" />
        Mail
      </Link>
      <Link href="/vault" aria-current={path.startsWith('/vault') ? 'page' : undefined}>
        <Icon name="lock" />
        Vault
      </Link>
      <button type="button" popovertarget={DRAWER}>
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
