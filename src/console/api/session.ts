/** Who is signed in, and the workspace that is shown. */

import { computed, signal } from '@preact/signals';
import { callIn, post } from './client.ts';
import { toFailure } from './failure.ts';

export interface OwnedWorkspace {
  id: string;
  slug: string;
  name: string;
  plan: string;
  sending_state: 'normal' | 'throttled' | 'paused';
  is_verified: boolean;
  created_at: string;
}

export interface Session {
  email: string;
  hostname: string;
  /** The zone that this instance's own DNS server answers for; null without that server. */
  served_zone: string | null;
  workspaces: OwnedWorkspace[];
}

const KEY = 'postroom-workspace';

export const session = signal<Session | null>(null);
const slug = signal<string | null>(null);

export const workspace = computed<OwnedWorkspace | null>(() => {
  const workspaces = session.value?.workspaces ?? [];
  return workspaces.find((each) => each.slug === slug.value) ?? workspaces[0] ?? null;
});

/** Which of the workspaces is shown stays in this browser. */
export const showWorkspace = (chosen: string): void => {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Storage may be refused: the choice holds until the page is left.
  }
  slug.value = chosen;
  callIn(workspace.value?.slug ?? null);
};

export const loadSession = async (): Promise<void> => {
  session.value = (await post('session', {})) as Session;
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // As above.
  }
  slug.value ??= kept;
  callIn(workspace.value?.slug ?? null);
};

/** Why signing out came to nothing; null: it was not tried, or is under way. */
export const signOutFailure = signal<string | null>(null);

/** @throws Failure where the service did not end the session */
export const signOut = async (everywhere: boolean): Promise<void> => {
  await post('session/end', { everywhere });
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

/**
 * For a link into another of the owner's workspaces: runs `find` in each, and shows the first where it succeeds.
 * @returns false where it succeeds in none
 */
export const showWorkspaceWhere = async (find: (workspace: string) => Promise<unknown>): Promise<boolean> => {
  for (const { slug: other } of session.value?.workspaces ?? []) {
    if (other === workspace.value?.slug) continue;
    const isThere = await find(other).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    showWorkspace(other);
    return true;
  }
  return false;
};
