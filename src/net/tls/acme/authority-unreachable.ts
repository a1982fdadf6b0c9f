/** The authority gave no answer, so it has counted no failure. */
export class AuthorityUnreachable extends Error {
  override readonly name = 'AuthorityUnreachable';
}
