/** Milliseconds after which a wait for something that must happen fails. Long: only a failing test waits for it. */
export const WAIT_LIMIT_MS = 60_000;
