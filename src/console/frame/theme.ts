/** Light or dark: the system's, until the reader chooses; kept in this browser alone. */

const KEY = 'postroom-theme';
const root = document.documentElement;

/** Storage may be refused altogether. */
const kept = (): string | null => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

export const keepTheme = (): void => {
  const theme = kept();
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
};

const isDark = (): boolean =>
  root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

export const toggleTheme = (): void => {
  const theme = isDark() ? 'light' : 'dark';
  root.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Holds until the page is left.
  }
};
