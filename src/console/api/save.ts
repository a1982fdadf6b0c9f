/** Saves data of the page as a file. */

export const save = (parts: readonly string[], { name, type }: { name: string; type: string }): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type: `${type};charset=utf-8` }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // The browser has started the download by the next turn.
  setTimeout(() => URL.revokeObjectURL(url));
};
