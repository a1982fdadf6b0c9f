/** The frame around every screen. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { Route, Router, Switch, useLocation } from 'wouter-preact';
import { isLive } from '../api/loaded.ts';
import { useOverview } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { Empty } from '../components/blocks.tsx';
import { Questions } from '../components/dialog.tsx';
import { useKeys } from '../components/keys.ts';
import { isModalOpen } from '../components/modal.ts';
import { Toasts } from '../components/toast.tsx';
import { Palette } from '../palette/palette.tsx';
import { SheetHost } from '../writing/sheet-host.tsx';
import { useAsked } from './asked.ts';
import { Drawer, PhoneBar, TitleRow } from './bar.tsx';
import { keepFocus } from './kept-focus.ts';
import { KeysHelp } from './keys-help.tsx';
import { Rail } from './rail.tsx';
import { linkOf, SCREENS } from './screens.ts';
import { ShownScreen } from './shown-screen.tsx';
import { SignedOut } from './signed-out.tsx';

const NotThere = () => (
  <>
    <TitleRow title="Not found" />
    <div class="page">
      <Empty icon="search" title="There is no such screen">
        The address is not complete, or what it led to is gone.
      </Empty>
    </div>
  </>
);

const NoWorkspace = () => (
  <>
    <TitleRow title="No workspace" />
    <div class="page">
      <Empty icon="people" title="You own no workspace here">
        {`${session.value?.email} is known, and owns nothing any more. Who owns a workspace can add you; an agent that signs up can name you.`}
      </Empty>
    </div>
  </>
);

const useGlobalKeys = (showKeys: () => void): void => {
  const [, go] = useLocation();
  useKeys([
    ...SCREENS.flatMap((screen) =>
      screen.key === undefined
        ? []
        : [{ key: `g ${screen.key}`, does: screen.title.toLowerCase(), run: () => go(linkOf(screen)) }],
    ),
    {
      key: '/',
      does: 'filter or search',
      run: () => document.querySelector<HTMLInputElement>('main .find .input')?.focus(),
    },
    { key: '?', does: 'all keys', run: showKeys },
  ]);
};

const Screens = () => {
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useOverview();
  useGlobalKeys(() => setOpen('keys'));
  useAsked('palette', () => setOpen('palette'));
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (!isModalOpen()) setOpen('palette');
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => (main.current ? keepFocus(main.current) : undefined), []);
  const screen = path.split('/')[1] ?? '';
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    window.scrollTo(0, 0);
  }, [screen]);
  return (
    <>
      <a class="skip" href="#content">
        Go to the content
      </a>
      <div class="app">
        <aside class="rail">
          <Rail />
        </aside>
        <main class="main" id="content" ref={main} tabIndex={-1} data-live={isLive.value}>
          {session.value?.workspaces.length === 0 && path !== '/you' ? (
            <NoWorkspace />
          ) : (
            <Switch>
              {SCREENS.map((each) => (
                <Route key={each.path} path={each.path}>
                  <ShownScreen key={each.path} screen={each} />
                </Route>
              ))}
              <Route>
                <NotThere />
              </Route>
            </Switch>
          )}
        </main>
        <PhoneBar />
        <Drawer>
          <Rail />
        </Drawer>
      </div>
      <Toasts />
      <SignedOut />
      <SheetHost />
      <Questions />
      {open === 'palette' && <Palette onClose={() => setOpen(null)} showKeys={() => setOpen('keys')} />}
      {open === 'keys' && <KeysHelp onClose={() => setOpen(null)} />}
    </>
  );
};

export const App = () => (
  <Router base="/console">
    <Screens />
  </Router>
);
