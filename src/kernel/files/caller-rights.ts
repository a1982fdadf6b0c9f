/**
 * Lets root's commands work as the user that owns the data: the daemon can read their files, and a link in the data
 * leads them nowhere else. Files that the caller named are opened with the caller's rights.
 */

import { type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';

const ROOT = 0;
let lowered: Pick<Stats, 'uid' | 'gid'> | null = null;
let caller: string | null = null;

/** The account that runs the command, also once it works as another. */
export const callerName = (): string => caller ?? userInfo().username;

const take = (uid: number, gid: number): void => {
  // Only root may change the groups: the user goes last, and comes back first.
  if (process.geteuid?.() !== ROOT) process.seteuid?.(ROOT);
  process.setegid?.(gid);
  process.seteuid?.(uid);
};

/**
 * Becomes the owner of a folder where this is root and the folder is another user's; for good where the caller named
 * no file.
 */
export const becomeOwnerOf = (folder: string, { namesFiles }: { namesFiles: boolean }): void => {
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (process.geteuid?.() !== ROOT || !owner || owner.uid === ROOT) return;
  caller = callerName();
  process.setgroups?.([owner.gid]);
  if (namesFiles) {
    lowered = owner;
    take(owner.uid, owner.gid);
    return;
  }
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
};

/** Runs synchronous work with the rights of the caller. */
export const asCaller = <T>(work: () => T): T => {
  if (lowered === null) return work();
  take(ROOT, ROOT);
  try {
    return work();
  } finally {
    take(lowered.uid, lowered.gid);
  }
};
