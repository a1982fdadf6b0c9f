/** Signing up, for an agent that has no key yet. */

import { type CallOptions, type ClientSettings, call } from './call.ts';
import { type SignUp, signUpRoute } from './operations.ts';

/**
 * Makes a workspace, an address and an API key.
 *
 * @example
 * const { api_key, claim_url } = await signUp({ baseUrl: 'https://mx.example.com' }, { handle: 'pilot', email: 'you@example.com' });
 */
export const signUp = async (
  settings: Omit<ClientSettings, 'apiKey'>,
  input: SignUp['input'],
  options?: CallOptions,
): Promise<SignUp['output']> =>
  (await call({ ...settings, apiKey: null }, signUpRoute, input, options)) as SignUp['output'];
