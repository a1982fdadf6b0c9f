/**
 * `npm run screens [NAME…]`: pictures of every screen of the console, light and dark, desktop and phone, into build/screens.
 * They are taken of a filled instance of its own, in Debian's Chromium.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { signInTo } from '../../test/console/fit.ts';
import { launchChromium } from '../../test/harness/http/chromium.ts';
import { FILLED, fillConsole, SLUG } from '../../test/harness/http/filled-console.ts';
import { startInstance } from '../../test/harness/instance.ts';
import { connect, signIn } from '../../test/harness/oauth/oauth-client.ts';
import { sendMail } from '../../test/harness/smtp/send-mail.ts';
import { SCREENS } from './screens.ts';

const TARGET = join(import.meta.dirname, '../../build/screens');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const LOOKS = [
  { name: 'light', options: { viewport: DESKTOP, colorScheme: 'light' } },
  { name: 'dark', options: { viewport: DESKTOP, colorScheme: 'dark' } },
  { name: 'phone', options: { viewport: PHONE, colorScheme: 'light', deviceScaleFactor: 2, hasTouch: true } },
  { name: 'phone-dark', options: { viewport: PHONE, colorScheme: 'dark', deviceScaleFactor: 2, hasTouch: true } },
] as const;

const settle = async (page: Page): Promise<void> => {
  await page.waitForLoadState('load');
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(350);
};

const wanted = new Set(process.argv.slice(2));
if (wanted.size === 0) rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
// A browser asks more of it in a minute than a person does; and within the 15 minutes of a printed link.
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
await using instance = await startInstance({ ...FILLED, runtime: { clock } });
const { agents } = await fillConsole(instance);
// What takes a test too long: a connected application, and mail that an endpoint does not take.
const decision = { agents: ['billing', 'support'], scopes: ['mail:read', 'mail:send', 'contacts'] };
await connect(instance, { person: await signIn(instance), decision });
await sendMail(instance.smtpPort, { to: [agents.billing.address], headers: { Subject: 'Pallets for week 50' } });
// Where the first steps are still to be done.
await instance.addWorkspace('Fresh', true);
await using chromium = await launchChromium();
for (const { name: look, options } of LOOKS) {
  const { context, page, faults, strayRequests } = await signInTo(chromium, instance, options, SLUG);
  for (const { name, path, prepare, isWhole } of SCREENS) {
    if (wanted.size > 0 && !wanted.has(name)) continue;
    clock.ahead += 4_000;
    await page.goto(new URL(path, instance.baseUrl).href);
    await settle(page);
    await prepare?.(page, look.startsWith('phone'));
    await settle(page);
    await page.screenshot({ path: join(TARGET, `${name}.${look}.png`) });
    if (isWhole && look.startsWith('phone'))
      await page.screenshot({ path: join(TARGET, `${name}.${look}.full.png`), fullPage: true });
  }
  for (const fault of [...faults, ...strayRequests]) console.error(`${look}: ${fault}`);
  await context.close();
}
console.log(`The pictures are in ${TARGET}.`);
