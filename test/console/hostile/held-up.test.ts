/** Mail that would keep the console busy: each is shown, or a part of it is not, and the page goes on to answer. */

import MailComposer from 'nodemailer/lib/mail-composer';
import type { Page } from 'playwright-core';
import t from 'tap';
import { rounds } from '../../harness/long-form.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { startConsole } from '../started.ts';
import { pdfOf } from './payloads.ts';

const started = startConsole(t);

/** Eight levels of ten: a hundred million circles. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><g id="l0"><circle r="1"/></g>${Array.from(
  { length: 8 },
  (_, n) => `<g id="l${n + 1}">${`<use xlink:href="#l${n}"/>`.repeat(10)}</g>`,
).join('')}</svg>`;

let received = 0;
const receive = async (mail: ConstructorParameters<typeof MailComposer>[0]): Promise<void> => {
  const { smtpPort, agents, client } = started.instance;
  const all = { from: 'carol@remote.test', to: agents.ann.address, ...mail };
  await sendMail(smtpPort, { to: [agents.ann.address], raw: await new MailComposer(all).compile().build() });
  received += 1;
  await eventually(async () => (await client(agents.ann).messages.list({})).messages.length === received);
};

const open = async (subject: string): Promise<Page> => {
  const { page } = await started.person();
  await started.go(page, '/console/agents/ann');
  await page
    .getByRole('link', { name: new RegExp(subject) })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: subject }).waitFor();
  return page;
};

t.test('an SVG is no picture, where the HTML embeds it too', async (t) => {
  await receive({
    ...{ subject: 'Drawn', html: '<p>Below</p><img src="cid:a@x" alt="A drawing">' },
    attachments: [{ filename: 'a.svg', content: SVG, cid: 'a@x', contentType: 'image/svg+xml' }],
  });
  const page = await open('Drawn');
  await page.frameLocator('iframe.mail-frame').getByRole('img').waitFor();
  const frame = await (await page.locator('iframe.mail-frame').elementHandle())?.contentFrame();
  t.equal(await frame?.evaluate('document.images[0].decode().catch(() => "not drawn")'), 'not drawn');
});

t.test('a length by the window’s height does not move the frame, which is as high as its mail', async (t) => {
  await receive({
    subject: 'Tall',
    html: '<div style="height:calc(2000px - 100vh);color:#123456">One</div><div style="min-height:calc(100dvh + 10px)">Two</div>',
  });
  const page = await open('Tall');
  const frame = page.locator('iframe.mail-frame');
  await page.frameLocator('iframe.mail-frame').getByText('Two').waitFor();
  t.match(await page.frameLocator('iframe.mail-frame').getByText('One').getAttribute('style'), /^color:#123456;?$/);
  t.ok(Number(await frame.getAttribute('height')) < 200);
});

t.test('a link to a part of a mail stays in its frame; no link makes a window of a mail', async (t) => {
  await receive({
    subject: 'Parts',
    html: '<a href="#end">To the end</a><div style="height:3000px">One</div><a name="end">Bottom</a>',
  });
  const page = await open('Parts');
  const { context } = await started.person();
  const windows: string[] = [];
  context.on('page', (opened) => windows.push(opened.url()));
  const frame = page.frameLocator('iframe.mail-frame');
  await frame.getByText('To the end').click();
  await eventually(() => frame.getByText('Bottom').evaluate((end) => end.ownerDocument.location.hash === '#end'));
  await eventually(() => page.evaluate<boolean>('scrollY > 1000'));
  t.same(windows, []);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate("void open(document.querySelector('iframe.mail-frame').src)"),
  ]);
  await opened.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await opened.close();
});

/** Of each of two mails: more than are drawn at once, which is three. */
const FILES = rounds(4, 8);

t.test('PDFs are drawn where they are seen, a few at once', async (t) => {
  const root = '<papers@remote.test>';
  for (let n = 0; n < 2; n += 1) {
    await receive({
      ...{ subject: n === 0 ? 'Papers' : `Re: Papers`, text: `Look at ${n}.` },
      ...(n === 0 ? { messageId: root } : { inReplyTo: root, references: root }),
      attachments: Array.from({ length: FILES }, (_, at) => ({ filename: `${n}-${at}.pdf`, content: pdfOf('') })),
    });
  }
  const page = await open('Papers');
  await page.getByText('1 page,').first().waitFor();
  const shots = page.locator('.shot');
  t.equal(await shots.count(), 2 * FILES);
  t.ok((await page.locator('.shot iframe').count()) < 2 * FILES, 'not all have a frame');
  await shots.first().scrollIntoViewIfNeeded();
  await shots.first().locator('iframe').waitFor();
});

t.test('of a thousand recipients and hundreds of files the first are shown', async () => {
  const { agents } = started.instance;
  await receive({
    ...{ subject: 'Many', text: 'Look.' },
    to: [agents.ann.address, ...Array.from({ length: 999 }, (_, n) => `c${n}@remote.test`)],
    attachments: Array.from({ length: 60 }, (_, n) => ({ filename: `${n}.bin`, content: 'x' })),
  });
  const page = await open('Many');
  await page.getByText('and 980 more, in the header').waitFor();
  await page.getByRole('button', { name: '40 more' }).click();
  await page.getByRole('link', { name: /59\.bin/ }).waitFor();
});
