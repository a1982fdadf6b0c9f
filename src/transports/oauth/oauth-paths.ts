/** The paths of the authorization server's endpoints. */

export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;

/** The path on which a request continues after the owner's consent. */
export const resumePath = (requestId: string): string => `${ROUTES.authorization}/${requestId}`;
