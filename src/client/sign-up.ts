/** Signing up, for an agent that has no key yet. */

import type { z } from 'zod';
import { publicContracts } from '../resources/public-contracts.ts';
import { type CallOptions, type ClientSettings, call } from './call.ts';

const { signUp: operation } = publicContracts.signup;

/**
 * Makes a workspace, an address and an API key.
 *
 * @example
 * const { api_key, claim_url } = await signUp({ baseUrl: 'https://mx.example.com' }, { handle: 'pilot', email: 'you@example.com' });
 */
export const signUp = async (
  settings: Omit<ClientSettings, 'apiKey'>,
  input: z.input<typeof operation.input>,
  options?: CallOptions,
): Promise<z.output<typeof operation.output>> =>
  (await call({ ...settings, apiKey: null }, operation, input, options)) as z.output<typeof operation.output>;
