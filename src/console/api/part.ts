/** Parts of the console's script, loaded on first use. */

import { Failure, NO_ANSWER } from './failure.ts';
import { keep, readKept } from './kept.ts';

/** The entry script of the console's page; its name has a hash of its content. */
const ownScript = (): string | null => document.querySelector('script[type=module][src]')?.getAttribute('src') ?? null;

type Shell = 'no-answer' | 'signed-out' | 'same' | 'replaced';

/** Compares the page that the daemon serves now with the one that is open. */
const compareShell = async (): Promise<Shell> => {
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

/** @throws Failure with the reason for which the part did not load */
export const loadPart = async <T>(load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch {
    throw FAILURES[await compareShell()]();
  }
};

const RELOADED = 'postroom-reloaded';

/**
 * Reloads the page where that repairs a failure of {@link loadPart}: a new build removed the files, and some browsers
 * do not fetch a failed script again. Once per script, so that it cannot loop.
 * @returns whether the page reloads
 */
export const reloadOnce = ({ code }: Failure): boolean => {
  if (!/^(part_missing|console_replaced|not_signed_in)$/.test(code)) return false;
  const own = ownScript() ?? '';
  // Without storage a first failure cannot be told from a second.
  if (readKept('tab', RELOADED) === own || !keep('tab', RELOADED, own)) return false;
  location.reload();
  return true;
};

/** Called after a part loaded: the next failure counts as a first one. */
export const forgetReload = (): void => {
  keep('tab', RELOADED, null);
};
