/** Starts the console: the session first, then the screen that the address names. */

import { render } from 'preact';
import './styles/index.css';
import { toFailure } from './api/failure.ts';
import { startLive } from './api/loaded.ts';
import { loadSession } from './api/session.ts';
import { DidNotLoad } from './components/blocks.tsx';
import { keepUnsent } from './components/drafts.ts';
import { startKeys } from './components/keys.ts';
import { App } from './frame/app.tsx';
import { keepTheme } from './frame/theme.ts';

keepTheme();
const root = document.querySelector('#app');

/** Whether the browser is as new as the build's target; the page says the versions. */
const isNew = CSS.supports('color', 'light-dark(red, red)') && 'popover' in HTMLElement.prototype;

const start = async (): Promise<void> => {
  if (!root || !isNew) return;
  document.querySelector('.not-started')?.remove();
  try {
    await loadSession();
    render(<App />, root);
    startLive();
    startKeys();
    keepUnsent();
  } catch (error) {
    const failure = toFailure(error);
    if (failure.code === 'not_signed_in') return;
    render(
      <main class="page">
        <h1>Postroom</h1>
        <DidNotLoad what="The console" failure={failure} again={() => void start()} />
      </main>,
      root,
    );
  }
};

void start();
