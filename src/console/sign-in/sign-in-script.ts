/**
 * The script of the sign-in pages, which work without it: adds the theme, the passkey, and the agents' names on the
 * consent button.
 */

import { keepTheme, toggleTheme } from '../frame/theme.ts';
import { nameConnected } from './consent.ts';
import { offerPasskey } from './passkey.ts';

keepTheme();
const toggle = document.createElement('button');
toggle.type = 'button';
toggle.className = 'link';
toggle.textContent = 'Light or dark';
toggle.addEventListener('click', toggleTheme);
document.querySelector('footer')?.append(toggle);

nameConnected();
void offerPasskey().catch(() => undefined);
