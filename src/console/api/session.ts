/** The signed-in owner, and the current workspace. */

import { computed, signal } from '@preact/signals';
import { type Answer, api, callIn } from './client.ts';
import { toFailure } from './failure.ts';
import { keep, readKept } from './kept.ts';

export type Session = Answer<'session', 'get'>;
export type OwnedWorkspace = Session['workspaces'][number];

const KEY = 'postroom-workspace';

export const session = signal<Session | null>(null);
const slug = signal<string | null>(null);

export const workspace = computed<OwnedWorkspace | null>(() => {
  const workspaces = session.value?.workspaces ?? [];
  return workspaces.find((each) => each.slug === slug.value) ?? workspaces[0] ?? null;
});

const PARAMETER = 'workspace';

/**
 * Changes the workspace by a page load, so that no act of one continues in another. Stored after the load, because the
 * reader may stay with unsent text.
 * @param address to open there
 */
export const showWorkspace = (chosen: string, address = '/console/'): void => {
  const { pathname, search } = new URL(address, location.href);
  location.assign(`${pathname}${search}${search === '' ? '?' : '&'}${PARAMETER}=${encodeURIComponent(chosen)}`);
};

/** The workspace that the address selects, once; null: none. The rest of the address stays unchanged. */
const takeChosen = (workspaces: readonly OwnedWorkspace[]): string | null => {
  const { pathname, search, hash } = location;
  const chosen = new URLSearchParams(search).get(PARAMETER);
  if (chosen === null) return null;
  const others = search
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith(`${PARAMETER}=`));
  history.replaceState(history.state, '', `${pathname}${others.length > 0 ? `?${others.join('&')}` : ''}${hash}`);
  if (!workspaces.some((each) => each.slug === chosen)) return null;
  keep('browser', KEY, chosen);
  return chosen;
};

let isLost = false;

export const loadSession = async (): Promise<void> => {
  const shown = workspace.value?.slug;
  const latest = await api.session.get({});
  if (shown !== undefined && !latest.workspaces.some((each) => each.slug === shown)) {
    // The owner lost the workspace: its forms must not act in another, even if the reader stays.
    if (!isLost) location.assign('/console/');
    isLost = true;
    return;
  }
  // An unchanged session causes no new render.
  if (JSON.stringify(latest) !== JSON.stringify(session.value)) session.value = latest;
  if (shown !== undefined) return;
  // A new tab begins with the last choice of any tab.
  slug.value = takeChosen(latest.workspaces) ?? readKept('tab', KEY) ?? readKept('browser', KEY);
  const first = workspace.value?.slug ?? null;
  // Keeps this tab's choice for a reload, because another tab may choose another workspace.
  if (first !== null) keep('tab', KEY, first);
  callIn(first);
};

/** The failure of signing out; null: not tried, or in progress. */
export const signOutFailure = signal<string | null>(null);

/** @throws Failure where the service did not end the session */
export const signOut = async (everywhere: boolean): Promise<void> => {
  await api.session.end({ everywhere });
  location.assign('/console/sign-in');
};

/** Signs out of this browser; after a failure, shows it on `You`. */
export const trySignOut = async (showYou: () => void): Promise<void> => {
  signOutFailure.value = null;
  try {
    await signOut(false);
  } catch (error) {
    signOutFailure.value = `You are still signed in. ${toFailure(error).hint}`;
    showYou();
  }
};

/** For a link into another workspace of the owner: the first one where `find` succeeds; null without one. */
export const findWorkspace = async (find: (workspace: string) => Promise<unknown>): Promise<string | null> => {
  for (const { slug: other } of session.value?.workspaces ?? []) {
    if (other === workspace.value?.slug) continue;
    const isThere = await find(other).then(
      () => true,
      () => false,
    );
    if (isThere) return other;
  }
  return null;
};
