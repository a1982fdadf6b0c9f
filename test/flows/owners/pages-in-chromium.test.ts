/** The pages for owners in a real browser: claimed and signed in by a person's presses, light, dark and on a phone. */

import t from 'tap';
import { type Chromium, isFit, launchChromium, PHONE } from '../../harness/http/chromium.ts';
import { startInstance } from '../../harness/instance.ts';
import { mailedLink, signUp } from '../../harness/signups.ts';

const OWNER = 'm@remote.test';
const SIGNUP = {
  handle: 'pilot',
  email: OWNER,
  workspace_name: '<img src=x onerror=alert(1)> & Co',
  description: `"I" <script>alert(1)</script> ${'unbroken'.repeat(30)}`,
};

let chromium: Chromium;
t.before(async () => {
  chromium = await launchChromium();
});
t.teardown(() => chromium[Symbol.asyncDispose]());

for (const [name, options] of [
  ['light and dark', {}],
  ['on a phone, without script', { viewport: PHONE, javaScriptEnabled: false }],
] as const) {
  t.test(`a person claims, and signs in again: ${name}`, async (t) => {
    await using instance = await startInstance();
    const signup = await signUp(instance, SIGNUP);
    const visitor = await chromium.open(options);
    const { context, page } = visitor;
    t.teardown(() => context.close());
    // axe needs script; the phone's visitor has none, and presses alone.
    const check = async (about: string) => {
      if ('javaScriptEnabled' in options) return;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await isFit(t, visitor, `${about}, ${colorScheme}`, 'judged');
      }
    };
    const at = (path: string) => new URL(path, instance.baseUrl).href;

    await page.goto(signup.claim_url);
    t.match(await page.getByRole('main').innerText(), SIGNUP.workspace_name);
    await check('the offer');
    await page.getByRole('button', { name: 'Mail the claim link' }).click();
    await page.getByRole('heading', { name: 'The link is on its way' }).waitFor();
    await check('mailed');

    const link = await mailedLink(instance, OWNER);
    await page.goto(at(link));
    await check('the confirmation');
    await page.getByRole('button', { name: 'Claim it and sign in' }).click();
    await page.waitForURL('**/console/');

    await page.goto(at(link));
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'This link was used');
    await check('a used link');

    await context.clearCookies();
    await page.goto(at('/console/'));
    await page.getByLabel('Your e-mail address').fill(OWNER);
    await check('the sign-in');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look in your mail' }).waitFor();
    await check('a link was mailed');

    await page.goto(at(await mailedLink(instance, OWNER, 2)));
    await check('the mailed link');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console/');

    await page.goto(at('/no-such-page'));
    await check('a page that is missing');
  });
}
