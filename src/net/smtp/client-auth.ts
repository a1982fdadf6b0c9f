/** Client side of AUTH (RFC 4954): PLAIN (RFC 4616), or LOGIN where the host offers nothing else. */

import type { Extensions } from './extensions.ts';
import type { SmtpReply } from './smtp-reply.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

interface LoginNeeds {
  readonly login: Login;
  readonly extensions: Extensions;
  /** Sends a line; the transcript records `shown` in its place. */
  ask(line: string, shown: string): Promise<SmtpReply>;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** @returns the host's rejection, or null once authenticated. @throws without a common mechanism */
export const logIn = async ({ login, extensions, ask }: LoginNeeds): Promise<SmtpReply | null> => {
  const { user, password } = login;
  const { authMechanisms } = extensions;
  const isPlain = authMechanisms.includes('PLAIN');
  if (!isPlain && !authMechanisms.includes('LOGIN'))
    throw new Error('The host offers neither AUTH PLAIN nor AUTH LOGIN');
  const lines = isPlain
    ? [[`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 'AUTH PLAIN (user and password)']]
    : [['AUTH LOGIN'], [base64(user), '(user)'], [base64(password), '(password)']];
  for (const [line = '', shown = line] of lines) {
    const reply = await ask(line, shown);
    if (reply.code >= 400) return reply;
  }
  return null;
};
