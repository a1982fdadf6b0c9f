/** Tells a person at a terminal how far a long work is, on one line of stderr. */

const EVERY_MS = 250;

export interface Progress {
  tell(text: () => string): void;
  /** Clears the line. */
  end(): void;
}

/** @param isQuiet for a program that reads the outcome; nothing is told where stderr is no terminal either */
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
