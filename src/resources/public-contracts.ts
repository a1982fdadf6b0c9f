/** What needs no authentication, by the name that the typed client gives each. */

import { signupContract } from './signup/contract.ts';

export const publicContracts = {
  signup: signupContract,
};
