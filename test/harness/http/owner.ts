/** An owner who is signed in, by a link that the operator printed. */

import { contracts } from '../../../src/resources/contracts.ts';
import type { TestInstance } from '../instance.ts';
import { asOperator } from '../operator.ts';
import { type Browser, createBrowser } from './browser.ts';

/** The owner of the workspaces that the harness makes. */
export const OWNER = 'owner@remote.test';

/** The path of a link that signs in once. */
export const printedLink = async (
  instance: Pick<TestInstance, 'config' | 'baseUrl'>,
  email = OWNER,
): Promise<string> => {
  const { url } = await asOperator(instance, (call) => call(contracts.owners.addSignInLink, { email }));
  return url.slice(instance.baseUrl.length);
};

export const signInOwner = async (instance: TestInstance, email = OWNER): Promise<Browser> => {
  const browser = createBrowser(instance.baseUrl);
  await browser.post(await printedLink(instance, email));
  return browser;
};
