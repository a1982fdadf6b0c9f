/** A native modal dialog, open as long as it is rendered: what Escape and a press on its backdrop do is its own to say. */

import type { TargetedMouseEvent, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const isOutside = (dialog: HTMLDialogElement, x: number, y: number): boolean => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
};

interface Opened {
  leave: () => void;
  /** Whether closing it would lose something. */
  isTyped: () => boolean;
  /** The address that it stands over. */
  href: string;
}

/** The dialogs that are open; the last one is on top. */
const open: Opened[] = [];
export const isModalOpen = (): boolean => open.length > 0;
export const isTypedInModal = (): boolean => open.some(({ isTyped }) => isTyped());

// A browser closes a dialog at the second Escape, whatever becomes of its cancel event; the key itself can be refused.
document.addEventListener(
  'keydown',
  (event) => {
    const top = open.at(-1);
    if (event.key !== 'Escape' || event.isComposing || !top) return;
    event.preventDefault();
    event.stopPropagation();
    top.leave();
  },
  { capture: true },
);

// Back leaves the dialog, as Escape does, and not what is behind it. Before the router hears of it.
addEventListener(
  'popstate',
  (event) => {
    const top = open.at(-1);
    if (!top) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', top.href);
    top.leave();
  },
  { capture: true },
);

/**
 * @param leave on Escape, on Back, and where the backdrop is both pressed and released
 * @param isTyped whether closing it would lose something: what was typed in it, or is shown once
 * @returns what its `dialog` is given
 */
export const useModal = (leave: () => void, isTyped: () => boolean = () => false) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  const own = useRef<Opened>({ leave, isTyped, href: '' });
  Object.assign(own.current, { leave, isTyped });
  useEffect(() => {
    const before = document.activeElement;
    const { current } = own;
    dialog.current?.showModal();
    current.href = location.href;
    open.push(current);
    return () => {
      open.splice(open.indexOf(current), 1);
      // As long as it is there, what is behind it takes no focus.
      queueMicrotask(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus();
      });
    };
  }, []);
  return {
    ref: dialog,
    onCancel: (event: Event): void => {
      event.preventDefault();
      leave();
    },
    // By a gesture that cannot be refused.
    onClose: (): void => {
      if (dialog.current?.isConnected) dialog.current.showModal();
      leave();
    },
    onPointerDown: ({ currentTarget, clientX, clientY }: TargetedPointerEvent<HTMLDialogElement>): void => {
      isPressedOutside.current = isOutside(currentTarget, clientX, clientY);
    },
    onClick: ({ target, currentTarget, clientX, clientY }: TargetedMouseEvent<HTMLDialogElement>): void => {
      const isWhole = isPressedOutside.current && isOutside(currentTarget, clientX, clientY);
      if (target === currentTarget && isWhole) leave();
    },
  };
};
