/** The scopes of OAuth: those of API keys, and the scope that lets a client refresh. */

import { isScope, OFFLINE_ACCESS, SCOPES, type Scope } from '../kernel/caller.ts';

export const OAUTH_SCOPES: readonly string[] = [...SCOPES, OFFLINE_ACCESS];

/** Scopes beyond a mail client's work: asked for when a call needs them, and unticked on the consent page. */
export const FURTHER_SCOPES: readonly string[] = ['vault', 'manage'];

/** The scopes that a client is told to ask for first. */
export const FIRST_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !FURTHER_SCOPES.includes(scope));

/** @param scope separated by spaces (RFC 6749 section 3.3); unknown ones are left out */
export const readTokenScopes = (scope: unknown): Scope[] =>
  typeof scope === 'string' ? scope.split(' ').filter(isScope) : [];
