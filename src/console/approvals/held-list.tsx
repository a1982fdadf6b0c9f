/** The list beside the reader: the first to expire on top, what came meanwhile at its foot, behind a line that tells. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { serverNow } from '../api/client.ts';
import { going } from '../api/overview.ts';
import { Time } from '../components/blocks.tsx';
import { useKeys } from '../components/keys.ts';
import { Badge } from '../components/marks.tsx';
import { NewLine } from '../components/pager.tsx';
import { nameRecipients } from './undo-approval.ts';
import { type Held, whyHeld } from './why-held.ts';

export const linkTo = (id: string): string => `/approvals/${id}`;

/** Unauthenticated mail, and a webhook endpoint, is decided alone. */
export const isPickable = ({ reason, html_differs }: Held): boolean => reason === 'agent_on_hold' && !html_differs;

/** The first to expire on top; an endpoint, which waits without an end, comes last. */
export const inOrder = (pending: readonly Held[]): Held[] => {
  const endOf = ({ expires_at }: Held): number =>
    expires_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(expires_at);
  return pending.toSorted((a, b) => endOf(a) - endOf(b) || a.created_at.localeCompare(b.created_at));
};

/** With those that are about to go, in their places. */
export const withGoing = (pending: readonly Held[]): Held[] => {
  const ids = new Set(pending.map(({ pending_id }) => pending_id));
  return inOrder([...pending, ...going.value.filter(({ pending_id }) => !ids.has(pending_id))]);
};

interface ListProps {
  pending: readonly Held[];
  id: string | undefined;
  picked: ReadonlySet<string>;
  /** `toHere`: all from the last pick on. */
  onPick: (id: string, toHere?: boolean) => void;
  /** Whether the reader shows what is picked. */
  isPicking: boolean;
}

const Item = ({
  held,
  id,
  picked,
  onPick,
  isPicking,
  hasPicks,
}: Omit<ListProps, 'pending'> & { held: Held; hasPicks: boolean }) => {
  const { mark, short } = whyHeld(held);
  const { pending_id, subject } = held;
  return (
    <div class="item-wrap">
      {isPickable(held) && (
        <input
          type="checkbox"
          class="check wide-only"
          aria-label={`Pick ${subject || '(no subject)'}`}
          checked={picked.has(pending_id)}
          onClick={({ shiftKey }) => onPick(pending_id, shiftKey)}
        />
      )}
      <Link
        class={hasPicks ? 'item pickable' : 'item'}
        href={linkTo(pending_id)}
        aria-current={pending_id === id && !isPicking ? 'true' : undefined}
      >
        <span class="who strong">
          {held.agent ?? 'removed agent'}
          <span class="n">{held.send_class}</span>
        </span>
        {held.expires_at === null ? <Time at={held.created_at} as="ago" /> : <Time at={held.expires_at} as="end" />}
        <span class="subj clip">{subject || '(no subject)'}</span>
        <span class="snip clip">to {nameRecipients(held)}</span>
        <span class="snip">
          <Badge mark={mark}>{short}</Badge>
          {held.html_differs && <Badge mark="warn">Text and HTML differ</Badge>}
        </span>
      </Link>
    </div>
  );
};

const SECOND_MS = 1_000;

/** An approved mail that is about to be sent: it keeps its place and has no acts here. */
const Going = ({ held, hasPicks }: { held: Held; hasPicks: boolean }) => {
  const secondsLeft = (): number =>
    Math.max(0, Math.ceil((Date.parse(held.release_at ?? '') - serverNow()) / SECOND_MS));
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsLeft()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="item-wrap">
      <div class={hasPicks ? 'item going pickable' : 'item going'}>
        <span class="who strong">{held.agent ?? 'removed agent'}</span>
        <span />
        <span class="subj clip">{held.subject || '(no subject)'}</span>
        <span class="snip clip">to {nameRecipients(held)}</span>
        <span class="snip">
          <Badge mark="wait">approved, goes in {left} s</Badge>
        </span>
      </div>
    </div>
  );
};

interface RowsProps {
  pending: readonly Held[];
  /** Whether rows have a box to pick them by. */
  hasPicks?: boolean;
  children?: (held: Held) => ComponentChildren;
}

export const HeldRows = ({ pending, hasPicks = false, children }: RowsProps) => (
  <>
    {withGoing(pending).map((held) =>
      pending.includes(held) ? children?.(held) : <Going key={held.pending_id} held={held} hasPicks={hasPicks} />,
    )}
  </>
);

/** Mail that came after the list was opened, or after its line was pressed. */
const useNew = (pending: readonly Held[], id: string | undefined) => {
  const [known, setKnown] = useState(() => new Set(pending.map(({ pending_id }) => pending_id)));
  useEffect(() => {
    if (id !== undefined && !known.has(id)) setKnown(new Set([...known, id]));
  }, [id]);
  return {
    fresh: pending.filter(({ pending_id }) => !known.has(pending_id)),
    see: () => setKnown(new Set(pending.map(({ pending_id }) => pending_id))),
  };
};

export const HeldList = ({ pending, id, picked, onPick, isPicking }: ListProps) => {
  const list = useRef<HTMLElement>(null);
  const { fresh, see } = useNew(pending, id);
  const hasPicks = pending.some(isPickable);
  const current = pending.find(({ pending_id }) => pending_id === id);
  useKeys([
    {
      key: 'x',
      does: 'pick this held message, to decide several at once',
      run: () => {
        if (current && isPickable(current)) onPick(current.pending_id);
      },
    },
  ]);
  const [first] = fresh;
  return (
    <nav class="list" aria-label="Held mail" ref={list}>
      <NewLine
        words={first ? `${fresh.length} new` : null}
        onClick={() => {
          list.current?.querySelector(`[href$="${first?.pending_id}"]`)?.scrollIntoView({ block: 'nearest' });
          see();
        }}
      />
      <HeldRows pending={pending} hasPicks={hasPicks}>
        {(held) => (
          <Item
            key={held.pending_id}
            held={held}
            id={id}
            picked={picked}
            onPick={onPick}
            isPicking={isPicking}
            hasPicks={hasPicks}
          />
        )}
      </HeldRows>
    </nav>
  );
};
