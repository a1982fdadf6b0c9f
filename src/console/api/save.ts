/** Saves data of the page as a file. */

const KEPT_MS = 40_000;

export const save = (parts: readonly string[], { name, type }: { name: string; type: string }): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // Safari may ask where to save it first, and reads it then.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
};
