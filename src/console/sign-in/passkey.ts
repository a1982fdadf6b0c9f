/** The passkey's button on the sign-in page, where the browser and the host have passkeys. */

import { api, post } from '../api/client.ts';
import { toFailure } from '../api/failure.ts';
import { loadPart } from '../api/part.ts';

type Options = Parameters<typeof import('@simplewebauthn/browser')['startAuthentication']>[0]['optionsJSON'];

const signIn = async (optionsJSON: Options): Promise<void> => {
  const { startAuthentication } = await loadPart(() => import('@simplewebauthn/browser'));
  const response = await startAuthentication({ optionsJSON });
  // The session is a cookie by then.
  const { next } = (await post('passkeys/signIn', { response })) as { next: string };
  location.assign(next);
};

export const offerPasskey = async (): Promise<void> => {
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
