/** The sign-in page works without script; this adds the theme, and the passkey where the browser has one. */

import { keepTheme, toggleTheme } from '../frame/theme.ts';
import { offerPasskey } from './passkey.ts';

keepTheme();
const toggle = document.createElement('button');
toggle.type = 'button';
toggle.className = 'link';
toggle.textContent = 'Light or dark';
toggle.addEventListener('click', toggleTheme);
document.querySelector('footer')?.append(toggle);

void offerPasskey().catch(() => undefined);
