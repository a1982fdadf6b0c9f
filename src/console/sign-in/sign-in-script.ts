/**
 * The script of the sign-in pages, which work without it: adds the theme, the passkey, and the agents' names on the
 * consent button.
 */

import { api, post } from '../api/client.ts';
import { toFailure } from '../api/failure.ts';
import { loadPart } from '../api/part.ts';
import { keepTheme, toggleTheme } from '../frame/theme.ts';

type Options = Parameters<typeof import('@simplewebauthn/browser')['startAuthentication']>[0]['optionsJSON'];

const signIn = async (optionsJSON: Options): Promise<void> => {
  const { startAuthentication } = await loadPart(() => import('@simplewebauthn/browser'));
  const response = await startAuthentication({ optionsJSON });
  // The session is a cookie by then.
  const { next } = (await post('passkeys/signIn', { response })) as { next: string };
  location.assign(next);
};

const offerPasskey = async (): Promise<void> => {
  const wayIn = document.getElementById('way-in');
  if (!wayIn || !('PublicKeyCredential' in window)) return;
  const { available } = await api.passkeys.beginSignIn({});
  if (!available) return;
  const or = document.createElement('div');
  or.className = 'or';
  or.textContent = 'or';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Use a passkey';
  const failure = document.createElement('p');
  failure.setAttribute('role', 'alert');
  button.addEventListener('click', () => {
    failure.textContent = '';
    // A challenge of its own for each press: the page may have stood open for long.
    api.passkeys
      .beginSignIn({})
      .then(({ options }) => signIn(options as unknown as Options))
      .catch((error: unknown) => {
        const { name } = error as { name?: string };
        failure.textContent =
          name === 'NotAllowedError' ? 'No passkey was used. Try again, or sign in by a link.' : toFailure(error).hint;
      });
  });
  wayIn.after(or, button, failure);
};

const listed = new Intl.ListFormat('en', { type: 'conjunction' });
const MOST_NAMED = 3;

const wordsOf = (names: readonly string[], isEvery: boolean): string => {
  if (isEvery) return 'Connect to every agent';
  if (names.length === 0) return 'Connect';
  return `Connect to ${names.length > MOST_NAMED ? `${names.length} agents` : listed.format(names)}`;
};

const nameConnected = (): void => {
  const button = document.getElementById('connect');
  if (!button) return;
  const update = (): void => {
    const ticked = [...document.querySelectorAll<HTMLInputElement>('input[name=agent]:checked')];
    const names = ticked.map(({ dataset }) => dataset.handle ?? '');
    button.textContent = wordsOf(names, names.includes(''));
  };
  button.closest('form')?.addEventListener('change', update);
  update();
};

keepTheme();
const toggle = document.createElement('button');
toggle.type = 'button';
toggle.className = 'link';
toggle.textContent = 'Light or dark';
toggle.addEventListener('click', toggleTheme);
document.querySelector('footer')?.append(toggle);

nameConnected();
void offerPasskey().catch(() => undefined);
