/** Work that several callers ask for at once is done once: they share its promise. */
export interface SingleFlight<V> {
  /** Runs `work` unless the key's work is running; resolves and rejects as that does. */
  run(key: string, work: () => Promise<V>): Promise<V>;
  /** Resolves once nothing runs; never rejects. */
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
