/**
 * The typed client of the console: the operations that owners may call, from the contracts that bind them on the server.
 *
 * @example
 * const { agents } = await api.agents.list({});
 */

import type { z } from 'zod';
import type { Contract, Operation, PersonInput, PersonOutput } from '../../kernel/operation.ts';
import type { contracts } from '../../resources/contracts.ts';
import { Failure, NO_ANSWER } from './failure.ts';

type Contracts = typeof contracts;
/** Those with a route are REST's. */
type IsOwners<O extends Operation> = O extends { path: string }
  ? Extract<O['audience'][number], 'owner'> extends never
    ? false
    : true
  : Extract<O['audience'][number], 'owner' | 'session' | 'anonymous'> extends never
    ? false
    : true;

type Calls<C extends Contract> = {
  [K in keyof C as IsOwners<C[K]> extends true ? K : never]: (
    input: z.input<PersonInput<C[K]>>,
    options?: CallOptions,
  ) => Promise<z.output<PersonOutput<C[K]>>>;
};

type Api = { [N in keyof Contracts]: Calls<Contracts[N]> };

/** What a call of an operation answers with: `Answer<'agents', 'list'>`. */
export type Answer<N extends keyof Contracts, A extends keyof Contracts[N]> = Contracts[N][A] extends Operation
  ? z.output<PersonOutput<Contracts[N][A]>>
  : never;

export interface CallOptions {
  signal?: AbortSignal;
  /** Another workspace than the one that is shown. */
  workspace?: string;
  /** It takes as long as it takes. */
  isLong?: boolean;
}

const API = '/console/api';
/** Of an answer that does not come: a dialog that works is not left before it has one. */
const MOST_MS = 300_000;

/** The slug of the workspace that is shown; null before one is chosen. */
let workspace: string | null = null;
export const callIn = (slug: string | null): void => {
  workspace = slug;
};

/** Told to the document; where nothing cancels it, the page that was shown is opened again after signing in. */
export const SIGNED_OUT = 'postroom:signed-out';
let isLeaving = false;
export const tellSignedOut = (isAct: boolean): void => {
  if (isLeaving) return;
  const told = new CustomEvent(SIGNED_OUT, { cancelable: true, detail: { isAct } });
  isLeaving = document.dispatchEvent(told);
  if (isLeaving) location.reload();
};

/** @throws Failure with what the service answered, or that it did not */
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
    { get: (_, act) => (input: unknown, options?: CallOptions) => post(`${noun}/${String(act)}`, input, options) },
  );

const nouns = new Map<string, unknown>();

export const api = new Proxy({} as Api, {
  get: (_, noun) => {
    const name = String(noun);
    if (!nouns.has(name)) nouns.set(name, actsOf(name));
    return nouns.get(name);
  },
});

/** The address of what an operation answers with as bytes, or as a frame. */
export const addressOf = (
  kind: 'api' | 'frame',
  path: string,
  input: Readonly<Record<string, string | boolean>>,
): string => {
  const query = new URLSearchParams({ ...(workspace !== null && { workspace }) });
  for (const [name, value] of Object.entries(input)) query.set(name, String(value));
  return `/console/${kind}/${path}?${query}`;
};
