/** Mail in Hebrew runs from the right, in plain text and in HTML. */

import t from 'tap';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t);
const WORDS = 'שלום עולם';

t.before(async () => {
  const { smtpPort, agents, client } = started.instance;
  const to = [agents.ann.address];
  await sendMail(smtpPort, { to, headers: { Subject: 'Plain' }, text: `${WORDS} (1).\n\nIn English.` });
  const headers = { Subject: 'In HTML', 'Content-Type': 'text/html; charset=utf-8' };
  await sendMail(smtpPort, { to, headers, text: `<html dir="rtl"><body><p>${WORDS}</p></body></html>` });
  const { messages } = client(agents.ann);
  await eventually(async () => (await messages.list({})).messages.length === 2);
});

/** Whether the text of an element stands at the right end of it. */
const IS_RIGHT = `(element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const [own, text] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
  return text.left - own.left > own.right - text.right;
}`;

t.test('text runs as its first letter does', async (t) => {
  const { page, faults } = await started.person();
  await page.goto(started.at('/console/agents/ann'));
  await page.getByRole('link', { name: /Plain/ }).click();
  const isRight = (of: string): Promise<boolean> =>
    page.evaluate<boolean>(
      `(${IS_RIGHT})([...document.querySelectorAll('.written')].find((each) => each.innerText.includes('${of}')))`,
    );
  await page.locator('.written').first().waitFor();
  t.equal(await isRight(WORDS), true);
  await page.getByRole('link', { name: /In HTML/ }).click();
  const body = page.frameLocator('iframe.mail-frame').locator('body');
  await body.getByText(WORDS).waitFor();
  const styled = 'getComputedStyle(document.querySelector("iframe.mail-frame").contentDocument.body)';
  t.equal(await page.evaluate(`${styled}.direction`), 'rtl');
  t.same(faults, []);
});
