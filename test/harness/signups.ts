/** Signing up and claiming, as an agent and its person do. */

import type { Browser } from './http/browser.ts';
import type { TestInstance } from './instance.ts';
import { eventually } from './smtp/send-mail.ts';

export interface Signup {
  handle: string;
  address: string;
  api_key: string;
  mcp_url: string;
  claim_url: string;
}

export const postSignup = (instance: TestInstance, body: unknown): Promise<Response> =>
  instance.request(null, 'POST', '/v1/signup', body);

/** @throws where it is refused */
export const signUp = async (instance: TestInstance, body: Record<string, unknown>): Promise<Signup> => {
  const response = await postSignup(instance, body);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Signup;
};

/** Links in what the receiver was sent for an address, the oldest first. */
export const linksMailedTo = (instance: TestInstance, address: string): string[] =>
  instance.receiver.messages
    .filter(({ rcptTo }) => rcptTo.includes(address))
    .flatMap(({ raw }) => {
      const text = raw.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
      return /<(http[^>\s]+\/(?:claim|console|invitation)\/[^>\s]+)>/.exec(text)?.[1] ?? [];
    });

/** The path of the nth link that was mailed to an address. */
export const mailedLink = (instance: TestInstance, address: string, n = 1): Promise<string> =>
  eventually(async () => {
    const link = linksMailedTo(instance, address)[n - 1];
    return link === undefined ? undefined : new URL(link).pathname;
  });

/** Presses through both pages of a claim. */
export const claim = async (instance: TestInstance, browser: Browser, { claim_url }: Signup, email: string) => {
  const before = linksMailedTo(instance, email).length;
  await browser.post(new URL(claim_url).pathname);
  return browser.post(await mailedLink(instance, email, before + 1));
};
