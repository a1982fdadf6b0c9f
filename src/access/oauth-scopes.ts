/** The scopes of OAuth: those of API keys, and the one that lets a client refresh. */

import { isScope, OFFLINE_ACCESS, SCOPES, type Scope } from '../kernel/caller.ts';

export const OAUTH_SCOPES: readonly string[] = [...SCOPES, OFFLINE_ACCESS];

/** Asked for once a call needs it, and unticked on the consent page: more than a mail client's work. */
export const FURTHER_SCOPES: readonly string[] = ['vault', 'manage'];

/** What a client is told to begin with. */
export const FIRST_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !FURTHER_SCOPES.includes(scope));

/** @param scope separated by spaces (RFC 6749 section 3.3); unknown ones are left out */
export const readTokenScopes = (scope: unknown): Scope[] =>
  typeof scope === 'string' ? scope.split(' ').filter(isScope) : [];
