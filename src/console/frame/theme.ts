/** Light or dark: the system's setting until the reader chooses; stored in this browser only. */

import { signal } from '@preact/signals';

const KEY = 'postroom-theme';
const root = document.documentElement;

/** Storage may be refused. */
const kept = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What the reader has chosen. */
export const theme = signal<Theme>(THEMES.find((each) => each === kept()) ?? 'system');

const show = (): void => {
  if (theme.value === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme.value;
};

export const keepTheme = show;

export const chooseTheme = (chosen: Theme): void => {
  theme.value = chosen;
  show();
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Holds until the page is left.
  }
};

const isDark = (): boolean =>
  theme.value === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark';

export const toggleTheme = (): void => chooseTheme(isDark() ? 'light' : 'dark');
