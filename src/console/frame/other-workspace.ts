/** A link may lead into another of the owner's workspaces than the one that is shown. */

import { useEffect } from 'preact/hooks';
import { showWorkspaceWhere } from '../api/session.ts';

/** Where what the link names is missing here: shows the workspace in which `find` succeeds, if there is one. */
export const useOtherWorkspace = (
  what: string | undefined,
  isMissing: boolean,
  find: (what: string, workspace: string) => Promise<unknown>,
): void => {
  useEffect(() => {
    if (what && isMissing) void showWorkspaceWhere((workspace) => find(what, workspace));
  }, [what, isMissing]);
};
