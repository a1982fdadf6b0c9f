/** Light or dark: the system's setting until the reader chooses; stored in this browser only. */

import { signal } from '@preact/signals';
import { keep, readKept } from '../api/kept.ts';

const KEY = 'postroom-theme';
const root = document.documentElement;

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What the reader has chosen. */
export const theme = signal<Theme>(THEMES.find((each) => each === readKept('browser', KEY)) ?? 'system');

export const keepTheme = (): void => {
  if (theme.value === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme.value;
};

export const chooseTheme = (chosen: Theme): void => {
  theme.value = chosen;
  keepTheme();
  keep('browser', KEY, chosen === 'system' ? null : chosen);
};

const isDark = (): boolean =>
  theme.value === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark';

export const toggleTheme = (): void => chooseTheme(isDark() ? 'light' : 'dark');
