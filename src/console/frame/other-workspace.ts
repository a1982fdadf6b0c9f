/** Follows links into another of the owner's workspaces. */

import { useEffect } from 'preact/hooks';
import { findWorkspace, showWorkspace } from '../api/session.ts';
import { isModalOpen } from '../components/modal.ts';

/** Changes to the workspace in which `find` succeeds, if the reader is still waiting. */
export const useOtherWorkspace = (
  what: string | undefined,
  isMissing: boolean,
  find: (what: string, workspace: string) => Promise<unknown>,
): void => {
  useEffect(() => {
    if (!what || !isMissing) return;
    let hasLeft = false;
    void findWorkspace((workspace) => find(what, workspace)).then((other) => {
      if (other !== null && !hasLeft && !isModalOpen()) showWorkspace(other, location.href);
    });
    return () => {
      hasLeft = true;
    };
  }, [what, isMissing]);
};
