/** A long conversation: the newest is open, the rest folds, what is quoted and signed too; archiving goes on to the next. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { findBarriers, PHONE, sidewaysScroll } from '../../harness/http/chromium.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { isStill, settled, WATCH_SHIFTS } from '../fit.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t);
const MESSAGES = 13;
const LAST =
  'Tuesday suits us.\n\nOn Tue, 3 Nov 2026, Kari <k@remote.test> wrote:\n> Nothing was paid.\n\n-- \nKari Lunde, claims';
const HTML = '<p>Fine.</p><div class="gmail_quote">On Tue:<blockquote type="cite">The old words</blockquote></div>';

t.before(async () => {
  const { smtpPort, agents, client } = started.instance;
  const to = [agents.ann.address];
  const messages = client(agents.ann).messages;
  for (const [subject, body, type] of [
    ['Another', 'Words.', 'text/plain'],
    ['In HTML', HTML, 'text/html'],
  ] as const) {
    await sendMail(smtpPort, { to, headers: { Subject: subject, 'Content-Type': type }, text: body });
  }
  for (let n = 1; n <= MESSAGES; n += 1) {
    const answers = n === 1 ? {} : { 'In-Reply-To': '<m1@remote.test>', References: '<m1@remote.test>' };
    await sendMail(smtpPort, {
      ...{ to, text: n === MESSAGES ? LAST : `Number ${n} is **not** paid.` },
      headers: {
        Subject: 'Demurrage',
        From: 'Kari Lunde <k@remote.test>',
        'Message-ID': `<m${n}@remote.test>`,
        ...answers,
      },
    });
  }
  await eventually(async () => (await messages.list({ limit: 50 })).messages.length === MESSAGES + 2);
  for (const { id } of (await messages.list({ limit: 50 })).messages) await messages.archive({ id, unread: false });
});

t.test('thirteen messages fit in two screens, and the newest is read at once', async (t) => {
  const { page, faults } = await started.person();
  await page.addInitScript(WATCH_SHIFTS);
  await page.goto(started.at('/console/agents/ann'));
  await settled(page);
  await page.getByRole('link', { name: /Demurrage/ }).click();
  const conversation = page.getByRole('list', { name: '13 messages, the oldest first' });
  await conversation.getByText('Tuesday suits us.').waitFor();
  await page.waitForFunction(`document.title === 'Demurrage · Postroom'`);
  t.same(await page.getByRole('heading', { level: 1 }).allTextContents(), ['Demurrage']);
  t.equal(await conversation.locator('details[open] > summary').count(), 1, 'the newest alone is open');
  t.notMatch(await conversation.innerText(), /\*\*|On Tue, 3 Nov|Kari Lunde, claims/);
  t.ok((await page.evaluate<number>('document.documentElement.scrollHeight / innerHeight')) <= 2);
  await page.getByRole('button', { name: 'Show quoted text' }).click();
  await conversation.getByText('> Nothing was paid.').waitFor();
  await page.getByRole('button', { name: 'Show signature' }).click();
  await conversation.getByText('Kari Lunde, claims').waitFor();
  await page.getByRole('button', { name: 'doubtful' }).click();
  await page.getByText('SPF none').waitFor();
  t.same(await findBarriers(page), []);
  await page.getByRole('button', { name: /earlier messages/ }).click();
  await conversation.getByText('Number 4 is not paid.').click();
  await conversation.getByText('Number 4 is **not** paid.').waitFor();

  const more = page.getByLabel(/^More for the message of Kari/).last();
  await more.focus();
  await page.keyboard.press('Enter');
  const headers = page.getByRole('button', { name: 'Headers' });
  await headers.waitFor();
  t.same(await findBarriers(page), [], 'with its acts');
  await page.keyboard.press('Escape');
  await headers.waitFor({ state: 'hidden' });
  t.match(page.url(), /threads/, 'and nothing else closes by it');
  await page.reload();
  await conversation.getByText('Tuesday suits us.').waitFor();
  await isStill(t, page, 'conversation');
  await page.setViewportSize(PHONE);
  t.same([await findBarriers(page), await sidewaysScroll(page)], [[], 0], 'on a phone');
  t.same(await page.getByRole('heading', { level: 1 }).allInnerTexts(), ['Demurrage']);
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('heading', { level: 1, name: 'In HTML' }).waitFor();
  t.same(faults, []);
});

t.test('quotes in HTML are folded by their name, and unfold without a script', async (t) => {
  const { page, faults } = await started.person();
  await started.go(page, '/console/agents/ann');
  await page.getByRole('link', { name: /In HTML/ }).click();
  const frame = page.frameLocator('iframe');
  await frame.getByText('Fine.').waitFor();
  t.notOk(await frame.getByText('The old words').isVisible());
  await frame.getByText('Quoted text').click();
  await frame.getByText('The old words').waitFor();
  t.same([faults, started.instance.faults], [[], []]);
});

t.test('with several unread mails in HTML, it opens at the newest, once they have their heights', async (t) => {
  const { smtpPort, agents } = started.instance;
  const paragraphs = '<p>The pallets are not here yet.</p>'.repeat(12);
  for (let n = 1; n <= 4; n += 1) {
    const headers = {
      Subject: 'Re: Pallets',
      'Content-Type': 'text/html',
      'Message-ID': `<p${n}@remote.test>`,
      'In-Reply-To': '<p1@remote.test>',
    };
    await sendMail(smtpPort, { to: [agents.ann.address], headers, text: `<p>Letter ${n}</p>${paragraphs}` });
  }
  const { page } = await started.person();
  await started.visit(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Pallets/ }).click();
  const newest = page.getByRole('list', { name: '4 messages, the oldest first' }).getByRole('listitem').last();
  await newest.frameLocator('iframe').getByText('Letter 4').waitFor();
  await page.locator('iframe.unmeasured').first().waitFor({ state: 'detached' });
  const foot = async () => ((await newest.boundingBox())?.y ?? 0) + ((await newest.boundingBox())?.height ?? 0);
  t.ok(await eventually(async () => (await foot()) < 860), 'the whole of it is on the screen');

  const frame = await newest.locator('iframe').boundingBox();
  await page.mouse.move(100, (frame?.y ?? 0) + 20);
  await page.mouse.wheel(0, -500);
  await eventually(async () => (await foot()) > 1_000);
  const place = await page.evaluate('scrollY');
  const headers = { Subject: 'Re: Pallets', 'In-Reply-To': '<p1@remote.test>', 'Content-Type': 'text/html' };
  await sendMail(smtpPort, { to: [agents.ann.address], headers, text: `<p>Letter 5</p>${paragraphs}` });
  await page.getByRole('list', { name: '5 messages, the oldest first' }).waitFor();
  await page.frameLocator('iframe').last().getByText('Letter 5').waitFor();
  await page.locator('iframe.unmeasured').first().waitFor({ state: 'detached' });
  t.equal(await page.evaluate('scrollY'), place, 'and it moves no more once the reader has, over a frame too');
});

t.test('letters that are laid out for 600 pixels fit a phone', async (t) => {
  const { smtpPort, agents } = started.instance;
  const { page } = await started.person();
  await page.setViewportSize(PHONE);
  for (const name of ['newsletter', 'airline', 'bank']) {
    const text = readFileSync(new URL(`../../everyday/${name}.html`, import.meta.url), 'utf8');
    const headers = { Subject: `From the ${name}`, 'Content-Type': 'text/html; charset=utf-8' };
    await sendMail(smtpPort, { to: [agents.ann.address], headers, text });
    await started.visit(page, '/console/agents/ann');
    await page.getByRole('link', { name: `From the ${name}` }).click();
    await page.locator('iframe:not(.unmeasured)').waitFor();
    const sideways = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
      document.querySelector('iframe').contentDocument.documentElement)`;
    t.equal(await page.evaluate(sideways), 0, name);
  }
});

t.test('on a tablet held upright, what is read has the room of a phone', async (t) => {
  const { page } = await started.person();
  await page.setViewportSize({ width: 820, height: 1180 });
  await started.visit(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Another/ }).click();
  const box = await page.getByRole('list', { name: '1 message' }).boundingBox();
  t.ok((box?.width ?? 0) >= PHONE.width - 40, `${box?.width} pixels`);
  t.equal(await sidewaysScroll(page), 0);
});

t.test('behind a report of a mail host, a reply is to the person before it', async (t) => {
  const { smtpPort, agents } = started.instance;
  const report = { 'Auto-Submitted': 'auto-replied', From: 'Mail Delivery System <MAILER-DAEMON@remote.test>' };
  const to = [agents.ann.address];
  await sendMail(smtpPort, { to, headers: { Subject: 'Hinges', 'Message-ID': '<h1@remote.test>' } });
  await sendMail(smtpPort, { to, headers: { ...report, Subject: 'Undelivered', 'In-Reply-To': '<h1@remote.test>' } });
  const { page } = await started.person();
  await started.visit(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Hinges/ }).click();
  await page.getByRole('list', { name: '2 messages, the oldest first' }).waitFor();
  await page.getByRole('button', { name: 'Reply to Carol' }).click();
  await page.getByRole('button', { name: /Leave out Carol/ }).waitFor();
  t.same(started.instance.faults, []);
});
