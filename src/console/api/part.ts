/** Parts of the console's script that are loaded when they are first needed. */

import { Failure, NO_ANSWER } from './failure.ts';

/** The script that a page of the console begins with; its name has a hash of its content. */
const ownScript = (): string | null => document.querySelector('script[type=module][src]')?.getAttribute('src') ?? null;

type Shell = 'no-answer' | 'signed-out' | 'same' | 'replaced';

/** Compares the page that the daemon serves now with the one that is open. */
const lookAtShell = async (): Promise<Shell> => {
  const response = await fetch('/console/', { headers: { accept: 'text/html' } }).catch(() => null);
  if (!response) return 'no-answer';
  if (response.redirected) return 'signed-out';
  const own = ownScript();
  const html = response.ok ? await response.text().catch(() => '') : '';
  if (html === '' || own === null) return 'no-answer';
  return html.includes(own) ? 'same' : 'replaced';
};

const FAILURES: Readonly<Record<Shell, () => Failure>> = {
  'no-answer': () => new Failure(0, 'no_answer', NO_ANSWER),
  'signed-out': () => new Failure(401, 'not_signed_in', 'The session has ended. Load the page again to sign in.'),
  same: () => new Failure(0, 'part_missing', 'A part of the console did not come. Load the page again.'),
  replaced: () =>
    new Failure(0, 'console_replaced', 'The console was replaced by another version. Load the page again.'),
};

/** @throws Failure with the reason why the part did not come */
export const loadPart = async <T>(load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch {
    throw FAILURES[await lookAtShell()]();
  }
};

const RELOADED = 'postroom-reloaded';

/**
 * Loads the page again where that mends a failure of {@link loadPart}: the files of a console that was replaced are
 * gone, and some browsers do not fetch a script again that failed once. Once per script, so that it is no loop.
 * @returns whether the page is on its way
 */
export const reloadOnce = ({ code }: Failure): boolean => {
  if (!/^(part_missing|console_replaced|not_signed_in)$/.test(code)) return false;
  const own = ownScript() ?? '';
  try {
    if (sessionStorage.getItem(RELOADED) === own) return false;
    sessionStorage.setItem(RELOADED, own);
  } catch {
    // Without storage nothing tells the first time from the second.
    return false;
  }
  location.reload();
  return true;
};

/** After a part came: the next failure is a first one again. */
export const forgetReload = (): void => {
  try {
    sessionStorage.removeItem(RELOADED);
  } catch {
    // As above.
  }
};
