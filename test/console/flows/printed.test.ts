/** A mail on paper, dark on white in every theme, and in a low window: nothing stands over the content. */

import t from 'tap';
import { DESKTOP } from '../../harness/http/chromium.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';
import { settled } from '../fit.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t);
const SCHEME = 'getComputedStyle(document.documentElement).colorScheme';
const A4 = { width: 720, height: 1000 };
/** A window of 1280 by 900 at 400 % zoom. */
const ZOOMED = { width: 320, height: 225 };

t.test('a mail is printed as dark words on white', async (t) => {
  const { smtpPort, agents, client } = started.instance;
  const raw = plainMail({ headers: { From: 'c@remote.test', To: agents.ann.address, Subject: 'Terms' }, text: 'All.' });
  await sendMail(smtpPort, { to: [agents.ann.address], raw });
  await eventually(async () => (await client(agents.ann).messages.list({ limit: 1 })).messages.length > 0);
  const { page } = await started.person();
  await page.addInitScript("if (self === top) localStorage['postroom-theme'] = 'dark'");
  await page.goto(started.at('/console/agents/ann'));
  await settled(page);
  await page.getByRole('link', { name: /Terms/ }).click();
  await page
    .getByRole('button', { name: /^Reply to/ })
    .first()
    .waitFor();
  t.equal(await page.evaluate(SCHEME), 'dark');
  await page.emulateMedia({ media: 'print' });
  for (const size of [DESKTOP, A4]) {
    await page.setViewportSize(size);
    t.equal(await page.evaluate(SCHEME), 'light');
    t.same(await page.locator('.rail, .tabbar, .replybar').filter({ visible: true }).count(), 0);
    t.ok(await page.locator('.reader').getByText('All.', { exact: true }).isVisible());
  }
});

t.test('mail is found and opened at 400 % zoom', async () => {
  const { page } = await started.person();
  await page.emulateMedia({ media: null });
  await page.setViewportSize(ZOOMED);
  await started.go(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Terms/ }).click({ timeout: 10_000 });
  await page.locator('.reader').getByText('All.', { exact: true }).click({ timeout: 10_000 });
});
