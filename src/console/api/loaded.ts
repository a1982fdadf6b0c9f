/** A screen's loaded value: none yet, the value, or the failure. The value stays shown while it is loaded again. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isModalOpen } from '../components/modal.ts';
import type { Call } from './client.ts';
import { type Failure, toFailure } from './failure.ts';
import { workspace } from './session.ts';

export interface Loaded<T> {
  value: T | null;
  failure: Failure | null;
  /** Whether loading takes noticeably long without a value. */
  isSlow: boolean;
  reload(): Promise<void>;
  /** Shows another value at once: the answer of an act. */
  set(value: T): void;
}

const SLOW_MS = 200;
/** Between retries while the instance does not answer: it may be restarting. */
const AGAIN_MS = 3_000;

/** @param of the value's key; a new key, or workspace, drops the old value */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>, of: string | null): Loaded<T> => {
  const key = of === null ? null : `${workspace.value?.slug} ${of}`;
  const [state, setState] = useState<{ key: string | null; value: T | null; failure: Failure | null }>({
    key,
    value: null,
    failure: null,
  });
  const [slowKey, setSlow] = useState<string | null>(null);
  const latest = useRef({ load, key });
  latest.current = { load, key };
  const running = useRef<AbortController | null>(null);

  const reload = useCallback(async () => {
    const { load: run, key: asked } = latest.current;
    if (asked === null) return;
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    try {
      const value = await run(controller.signal);
      if (!controller.signal.aborted) setState({ key: asked, value, failure: null });
    } catch (error) {
      if (controller.signal.aborted) return;
      const failure = toFailure(error);
      // Keeps the loaded value, and text that is being written beside it: the next refresh updates it.
      setState((before) =>
        before.key === asked && before.value !== null && (failure.isPassing || isModalOpen())
          ? before
          : { key: asked, value: null, failure },
      );
    }
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => setSlow(key), SLOW_MS);
    void reload();
    return () => {
      clearTimeout(timer);
      running.current?.abort();
    };
  }, [key]);

  useEffect(() => {
    if (!state.failure?.isAway) return;
    const timer = setTimeout(() => void reload(), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state.failure]);

  const isCurrent = state.key === key;
  const value = isCurrent ? state.value : null;
  const failure = isCurrent ? state.failure : null;
  return {
    value,
    failure,
    isSlow: value === null && failure === null && slowKey === key,
    reload,
    set: (next) => {
      // Ignores an answer for a former key.
      if (latest.current.key === key) setState({ key, value: next, failure: null });
    },
  };
};

/**
 * The answer of an operation.
 * @param input null: nothing is asked for yet
 * @param also what the answer changes with, beside the input
 */
export const useAnswer = <Input, Output>(
  call: Call<Input, Output>,
  input: Input | null,
  also: unknown = null,
): Loaded<Output> =>
  useLoaded(
    (signal) => call(input as Input, { signal }),
    input === null ? null : `${call.path} ${JSON.stringify([input, also])}`,
  );

/** Loads again when one of these values changes: the old value stays shown meanwhile. */
export const useReloadOn = ({ reload }: Pick<Loaded<unknown>, 'reload'>, of: readonly unknown[]): void => {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) void reload();
    isFirst.current = false;
  }, of);
};
