/** Loads the sheet of a new mail when it is first asked for. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toFailure } from '../api/failure.ts';
import { loadPart } from '../api/part.ts';
import { useKeys } from '../components/keys.ts';
import { sayFailed } from '../components/toast.tsx';
import { composing } from './composing.ts';

export const SheetHost = () => {
  const [loaded, setLoaded] = useState<{ Sheet: ComponentType } | null>(null);
  const isAsked = composing.value !== null;
  const begin = (): void => {
    composing.value = {};
  };
  useKeys([{ key: 'c', does: 'new mail', run: begin }]);
  useEffect(() => {
    if (!isAsked || loaded) return;
    loadPart(() => import('./compose-sheet.tsx')).then(
      ({ ComposeSheet }) => setLoaded({ Sheet: ComposeSheet }),
      (error: unknown) => {
        composing.value = null;
        sayFailed(toFailure(error).hint);
      },
    );
  }, [isAsked]);
  return isAsked && loaded ? <loaded.Sheet /> : null;
};
