/** Coalesces concurrent calls for one key: they share one promise. */
export interface SingleFlight<V> {
  /** Runs `work` unless the key's work is running; settles as that does. */
  run(key: string, work: () => Promise<V>): Promise<V>;
  /** Resolves once no work is running; never rejects. */
  settled(): Promise<void>;
}

export const createSingleFlight = <V>(): SingleFlight<V> => {
  const running = new Map<string, Promise<V>>();
  return {
    run: (key, work) => {
      const before = running.get(key);
      if (before) return before;
      const begun = work().finally(() => running.delete(key));
      running.set(key, begun);
      return begun;
    },
    settled: async () => {
      await Promise.allSettled(running.values());
    },
  };
};
