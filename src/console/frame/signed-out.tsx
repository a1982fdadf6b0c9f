/** Signs in again beside unsent text, after the session ended. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { SIGNED_OUT } from '../api/client.ts';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { isUnsent } from '../components/drafts.ts';

/** Search fields do not count as unsent text. */
const WRITTEN = ['main', 'dialog']
  .flatMap((place) => [`${place} textarea`, `${place} input:not([role=combobox])`])
  .join();
const NOT_WRITTEN = /^(search|checkbox|radio|file|button|submit)$/;

const isSomethingWritten = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(WRITTEN)].some(
    ({ type, value }) => !NOT_WRITTEN.test(type) && value !== '',
  );

export const SignedOut = () => {
  const [isShown, setShown] = useState(false);
  const wasTold = useRef(false);
  useEffect(() => {
    const onSignedOut = (event: Event): void => {
      const { isAct } = (event as CustomEvent<{ isAct: boolean }>).detail;
      if (!isSomethingWritten() && !isUnsent()) return;
      // Unless cancelled, the event leaves the page.
      event.preventDefault();
      // Background loading shows it once; each act of the reader shows it again.
      if (isAct || !wasTold.current) setShown(true);
      wasTold.current = true;
    };
    document.addEventListener(SIGNED_OUT, onSignedOut);
    return () => document.removeEventListener(SIGNED_OUT, onSignedOut);
  }, []);
  const close = (): void => setShown(false);
  if (!isShown) return null;
  return (
    <Dialog title="You are signed out" onClose={close}>
      <p>What you wrote stays on this page. Sign in in a new tab, then come back and try again.</p>
      <div class="acts">
        <Button words="Back to it" onClick={close} />
        <a class="btn primary" href="/console/sign-in" target="_blank" rel="noopener" onClick={close}>
          Sign in in a new tab
        </a>
      </div>
    </Dialog>
  );
};
