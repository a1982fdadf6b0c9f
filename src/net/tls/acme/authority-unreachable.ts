/** The authority gave no answer at all: nothing that it counts has failed. */
export class AuthorityUnreachable extends Error {
  override readonly name = 'AuthorityUnreachable';
}
