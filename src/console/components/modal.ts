/**
 * A native modal dialog, open while it is rendered; the caller defines the effect of Escape and of a click on the
 * backdrop.
 */

import type { TargetedMouseEvent, TargetedPointerEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const isOutside = (dialog: HTMLDialogElement, x: number, y: number): boolean => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
};

interface Opened {
  leave: () => void;
  /** Whether closing it would lose text or a value. */
  isTyped: () => boolean;
  /** The address of the page below it. */
  href: string;
}

/** The dialogs that are open; the last one is on top. */
const open: Opened[] = [];
export const isModalOpen = (): boolean => open.length > 0;
export const isTypedInModal = (): boolean => open.some(({ isTyped }) => isTyped());

// A browser closes a dialog at the second Escape, even if its cancel event is cancelled; the key itself can be
// cancelled.
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

// Back closes the dialog, like Escape, not the page behind it. Runs before the router.
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
 * @param leave on Escape, on Back, and on a click that begins and ends on the backdrop
 * @param isTyped whether closing would lose typed text, or a value that is shown once
 * @returns the attributes of its `dialog`
 */
export const useModal = (leave: () => void, isTyped: () => boolean = () => false) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  const own = useRef<Opened>({ leave, isTyped, href: '' });
  Object.assign(own.current, { leave, isTyped });
  // Before the next key is typed, which is meant for it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const { current } = own;
    dialog.current?.showModal();
    current.href = location.href;
    open.push(current);
    return () => {
      open.splice(open.indexOf(current), 1);
      // While it is open, the page behind it takes no focus.
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
    // Closed by a gesture that cannot be cancelled.
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
