/** Who is signed in, and the workspace that is shown. */

import { computed, signal } from '@preact/signals';
import { type Answer, api, callIn } from './client.ts';
import { toFailure } from './failure.ts';

export type Session = Answer<'session', 'get'>;
export type OwnedWorkspace = Session['workspaces'][number];

const KEY = 'postroom-workspace';

export const session = signal<Session | null>(null);
const slug = signal<string | null>(null);

export const workspace = computed<OwnedWorkspace | null>(() => {
  const workspaces = session.value?.workspaces ?? [];
  return workspaces.find((each) => each.slug === slug.value) ?? workspaces[0] ?? null;
});

/** Of this tab; a new one begins where the last choice was made. Storage may be refused: then the first one is shown. */
const readKept = (): string | null => {
  try {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);
  } catch {
    return null;
  }
};
const keep = (chosen: string, storages: () => Storage[]): void => {
  try {
    for (const storage of storages()) storage.setItem(KEY, chosen);
  } catch {
    // As above.
  }
};

const PARAMETER = 'workspace';

/**
 * Shows another workspace, by loading the page anew: nothing that was begun in one goes on in another. It is kept once it is
 * shown, since the reader may stay with what is unsent.
 * @param address what is opened there
 */
export const showWorkspace = (chosen: string, address = '/console/'): void => {
  const { pathname, search } = new URL(address, location.href);
  location.assign(`${pathname}${search}${search === '' ? '?' : '&'}${PARAMETER}=${encodeURIComponent(chosen)}`);
};

/** The one of `workspaces` that the address asks for, once; null: none. The rest of the address stays to the letter. */
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
  keep(chosen, () => [localStorage]);
  return chosen;
};

let isLost = false;

export const loadSession = async (): Promise<void> => {
  const shown = workspace.value?.slug;
  const latest = await api.session.get({});
  if (shown !== undefined && !latest.workspaces.some((each) => each.slug === shown)) {
    // It is this owner's no more: no form of it may act in another, also where the reader stays with it.
    if (!isLost) location.assign('/console/');
    isLost = true;
    return;
  }
  // What is as before draws nothing anew.
  if (JSON.stringify(latest) !== JSON.stringify(session.value)) session.value = latest;
  if (shown !== undefined) return;
  slug.value = takeChosen(latest.workspaces) ?? readKept();
  const first = workspace.value?.slug ?? null;
  // Another tab may choose another: a reload shows what this one did.
  if (first !== null) keep(first, () => [sessionStorage]);
  callIn(first);
};

/** Why signing out came to nothing; null: it was not tried, or is under way. */
export const signOutFailure = signal<string | null>(null);

/** @throws Failure where the service did not end the session */
export const signOut = async (everywhere: boolean): Promise<void> => {
  await api.session.end({ everywhere });
  location.assign('/console/sign-in');
};

/** Signs out of this browser, and shows `You` with the reason where it came to nothing. */
export const trySignOut = async (showYou: () => void): Promise<void> => {
  signOutFailure.value = null;
  try {
    await signOut(false);
  } catch (error) {
    signOutFailure.value = `You are still signed in. ${toFailure(error).hint}`;
    showYou();
  }
};

/** For a link into another of the owner's workspaces: the first where `find` succeeds; null where it does in none. */
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
