/**
 * The typed client of the console: the owners' operations, from the contracts that bind them on the server.
 * @example const { agents } = await api.agents.list({});
 */

import type { z } from 'zod';
import type { Contract, Operation, PersonInput, PersonOutput } from '../../kernel/operation.ts';
import type { contracts } from '../../resources/contracts.ts';
import { Failure, NO_ANSWER } from './failure.ts';

type Contracts = typeof contracts;
/** REST has the operations with a route. */
type IsOwners<O extends Operation> = O extends { path: string }
  ? Extract<O['audience'][number], 'owner'> extends never
    ? false
    : true
  : Extract<O['audience'][number], 'owner' | 'session' | 'anonymous'> extends never
    ? false
    : true;

export interface Call<Input, Output> {
  (input: Input, options?: CallOptions): Promise<Output>;
  /** `noun/act`, below the API. */
  path: string;
}

type Calls<C extends Contract> = {
  [K in keyof C as IsOwners<C[K]> extends true ? K : never]: Call<
    z.input<PersonInput<C[K]>>,
    z.output<PersonOutput<C[K]>>
  >;
};

type Api = { [N in keyof Contracts]: Calls<Contracts[N]> };

/** The answer of an operation: `Answer<'agents', 'list'>`. */
export type Answer<N extends keyof Contracts, A extends keyof Contracts[N]> = Contracts[N][A] extends Operation
  ? z.output<PersonOutput<Contracts[N][A]>>
  : never;

export interface CallOptions {
  signal?: AbortSignal;
  /** Another workspace than the current one. */
  workspace?: string;
  /** Set for calls that may take long. */
  isLong?: boolean;
}

const API = '/console/api';
/** Requests that are left in this minute, by the last answer. A refresh waits where there are few. */
export let requestsLeft = Number.POSITIVE_INFINITY;
/** Below it the field `Date`, of whole seconds, tells nothing of this browser's clock. */
const LEAST_SKEW_MS = 2_000;
let skewMs = 0;
/** The instance's time, by its last answer: clocks of people's machines differ by more than an undo takes. */
export const serverNow = (): number => Date.now() - skewMs;

/** Time-out of an answer: a dialog stays open until it has one. */
const MOST_MS = 300_000;

/** The slug of the current workspace; null before the choice. */
let workspace: string | null = null;
export const callIn = (slug: string | null): void => {
  workspace = slug;
};

/** An event of the document; unless a listener cancels it, signing in returns to the current page. */
export const SIGNED_OUT = 'postroom:signed-out';
let isLeaving = false;
export const tellSignedOut = (isAct: boolean): void => {
  if (isLeaving) return;
  const told = new CustomEvent(SIGNED_OUT, { cancelable: true, detail: { isAct } });
  isLeaving = document.dispatchEvent(told);
  if (isLeaving) location.reload();
};

/** @throws Failure with the service's answer, or without one */
export const post = async (
  path: string,
  input: unknown,
  { signal, workspace: other, isLong = false }: CallOptions = {},
) => {
  const named = other ?? workspace;
  const response = await fetch(`${API}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(named !== null && { 'x-workspace': named }) },
    body: JSON.stringify(input),
    signal: AbortSignal.any([...(isLong ? [] : [AbortSignal.timeout(MOST_MS)]), ...(signal ? [signal] : [])]),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new Failure(0, 'no_answer', NO_ANSWER);
  });
  const ahead = Date.now() - Date.parse(response.headers.get('date') ?? '');
  skewMs = Math.abs(ahead) > LEAST_SKEW_MS ? ahead : 0;
  requestsLeft = Number(response.headers.get('x-ratelimit-remaining') ?? requestsLeft);
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const { error = 'internal_error', hint = `Postroom answered ${response.status}.` } = (answer ?? {}) as {
    error?: string;
    hint?: string;
  };
  const failure = new Failure(response.status, error, hint, (answer ?? {}) as Record<string, unknown>);
  if (error === 'not_signed_in') tellSignedOut(false);
  throw failure;
};

const actsOf = (noun: string): unknown =>
  new Proxy(
    {},
    {
      get: (_, act) => {
        const path = `${noun}/${String(act)}`;
        return Object.assign((input: unknown, options?: CallOptions) => post(path, input, options), { path });
      },
    },
  );

const nouns = new Map<string, unknown>();

export const api = new Proxy({} as Api, {
  get: (_, noun) => {
    const name = String(noun);
    if (!nouns.has(name)) nouns.set(name, actsOf(name));
    return nouns.get(name);
  },
});

/** The URL of an operation's bytes or frame. */
export const addressOf = (
  kind: 'api' | 'frame',
  path: string,
  input: Readonly<Record<string, string | boolean>>,
): string => {
  const query = new URLSearchParams({ ...(workspace !== null && { workspace }) });
  for (const [name, value] of Object.entries(input)) query.set(name, String(value));
  return `/console/${kind}/${path}?${query}`;
};
