/** Shows the progress of long work on one line of stderr, if it is a terminal. */

const EVERY_MS = 250;

export interface Progress {
  tell(text: () => string): void;
  /** Clears the line. */
  end(): void;
}

/** @param isQuiet for a program that reads the result; also silent where stderr is no terminal */
export const createProgress = (isQuiet: boolean): Progress => {
  if (isQuiet || !process.stderr.isTTY) return { tell: () => {}, end: () => {} };
  let told = 0;
  return {
    tell: (text) => {
      const now = performance.now();
      if (now - told < EVERY_MS) return;
      told = now;
      process.stderr.write(`\r${text()}\u001b[K`);
    },
    end: () => {
      if (told > 0) process.stderr.write('\r\u001b[K');
    },
  };
};
