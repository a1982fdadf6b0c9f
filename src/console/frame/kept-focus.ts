/**
 * Moves a lost focus to the heading above: after a turned page, an archived row, a closed form. A browser would begin
 * again at the top of the page (WCAG 2.2, 2.4.3).
 */

/** The heading of what is open, where the one that opens next is to have the focus. */
let replaced: Element | null | undefined;

/** Focuses the heading of the next entry, so that it is read out and its keys work. */
export const focusNextReader = (): void => {
  replaced = document.querySelector('.reader h1');
};

const focusOn = (heading: HTMLElement): void => {
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
};

/** @param root contains the headings @returns stops it */
export const keepFocus = (root: HTMLElement): (() => void) => {
  let last: Element | null = null;
  let isInReader = false;
  const remember = ({ target }: FocusEvent): void => {
    last = target instanceof Element ? target : null;
    isInReader = last?.closest('.reader') != null;
  };
  /** A click outside of all controls removes the focus on purpose. */
  const forget = (): void => {
    last = null;
  };
  const look = (): void => {
    const opened = replaced === undefined ? null : root.querySelector<HTMLElement>('.reader h1');
    if (opened && opened !== replaced) {
      replaced = undefined;
      focusOn(opened);
    }
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    const inReader = isInReader ? root.querySelector<HTMLElement>('.reader h1') : null;
    const heading = inReader ?? root.querySelector<HTMLElement>('h1');
    if (!heading) return;
    last = null;
    focusOn(heading);
  };
  const observer = new MutationObserver(look);
  observer.observe(root, { childList: true, subtree: true });
  document.addEventListener('focusin', remember);
  document.addEventListener('pointerdown', forget, { capture: true });
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', remember);
    document.removeEventListener('pointerdown', forget, { capture: true });
  };
};
