/** The paths of the authorization server's endpoints. */

export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;

/** Where a request goes on once its owner has decided. */
export const resumePath = (requestId: string): string => `${ROUTES.authorization}/${requestId}`;
