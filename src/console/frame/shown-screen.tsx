/** One screen, loaded on first use. Its failure does not affect the frame and the other screens. */

import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Failure, toFailure } from '../api/failure.ts';
import { forgetReload, loadPart, reloadOnce } from '../api/part.ts';
import { DidNotLoad } from '../components/blocks.tsx';
import { TitleRow } from './bar.tsx';
import type { Screen } from './screens.ts';

const loaded = new Map<string, ComponentType>();

/** Converts an error thrown by a screen's render. */
const toFault = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(0, 'console_fault', `The console failed here, the other screens did not: ${String(error)}.`);

export const ShownScreen = ({ screen: { path, title, load } }: { screen: Screen }) => {
  const [address] = useLocation();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [, setLoaded] = useState(loaded.has(path));
  const [thrown, forget] = useErrorBoundary((error) => reportError(error));
  const [thrownAt, setThrownAt] = useState<string | null>(null);
  const fetchScreen = (): void => {
    setFailure(null);
    loadPart(load).then(
      (component) => {
        loaded.set(path, component);
        forgetReload();
        setLoaded(true);
      },
      (error: unknown) => {
        const reason = toFailure(error);
        if (!reloadOnce(reason)) setFailure(reason);
      },
    );
  };
  useEffect(() => {
    if (!loaded.has(path)) fetchScreen();
  }, []);
  const again = (): void => {
    setThrownAt(null);
    forget();
  };
  // Another address of the same screen may work.
  useEffect(() => {
    if (thrown === undefined) return;
    if (thrownAt === null) setThrownAt(address);
    else if (thrownAt !== address) again();
  }, [thrown, address]);

  const Loaded = loaded.get(path);
  const shown = thrown === undefined ? failure : toFault(thrown);
  if (shown)
    return (
      <>
        <TitleRow title={title} />
        <div class="page">
          <DidNotLoad what={title} failure={shown} again={thrown === undefined ? fetchScreen : again} />
        </div>
      </>
    );
  return Loaded ? <Loaded /> : <header class="bar" aria-busy="true" />;
};
