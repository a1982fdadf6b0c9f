/** A split view: a list beside its open entry; on a phone, one of the two. */

import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Time } from '../components/blocks.tsx';

interface SplitViewProps {
  /** Whether an entry of the list is open. */
  isOpen: boolean;
  list: ComponentChildren;
  reader: ComponentChildren;
}

export const SplitView = ({ isOpen, list, reader }: SplitViewProps) => (
  <div class={`split-view ${isOpen ? 'solo' : ''}`}>
    <div class="list">{list}</div>
    <article class="reader">{reader}</article>
  </div>
);

interface ItemProps {
  href: string;
  isCurrent: boolean;
  name: ComponentChildren;
  at: string;
  under: ComponentChildren;
  side: ComponentChildren;
}

export const Item = ({ href, isCurrent, name, at, under, side }: ItemProps) => (
  <Link class="item brief" href={href} aria-current={isCurrent ? 'true' : undefined}>
    <span class="who strong clip">
      <bdi>{name}</bdi>
    </span>
    <Time at={at} />
    <span class="snip clip">{under}</span>
    <span class="side">{side}</span>
  </Link>
);
