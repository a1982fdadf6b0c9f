/** Attachments in their place: a picture, a PDF in a frame of its own, the first rows of CSV, an event, the text of DOCX. */

import { strToU8, zipSync } from 'fflate';
import MailComposer from 'nodemailer/lib/mail-composer';
import t from 'tap';
import { findBarriers, PHONE, sidewaysScroll } from '../../harness/http/chromium.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { intercept, settled } from '../fit.ts';
import { pdfOf } from '../hostile/payloads.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t);

const PDF = pdfOf('BT /F1 24 Tf 40 340 Td (Survey of the corner) Tj ET');
/** Saves the state of the drawing 20 000 times and restores it never: its drawing does not end. */
const ENDLESS = pdfOf('q '.repeat(20_000));
/** What a page may take. */
const DRAWING_MS = 10_000;
const NOT_SHOWN = 'It cannot be shown here';
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAF0lEQVR4nGNcEVXFgA0wYRUdtBIMOCUAvwsBqM6Eo1UAAAAASUVORK5CYII=';
const EVENT = `BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
SUMMARY:Joint inspection
DTSTART;TZID=Europe/Oslo:20261124T100000
DTEND;TZID=Europe/Oslo:20261124T104500
LOCATION:Terminal 3
ORGANIZER;CN=Marek:mailto:marek@remote.test
ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@remote.test
ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:b@remote.test
END:VEVENT
END:VCALENDAR`.replaceAll('\n', '\r\n');
const DOCX = zipSync({
  'word/document.xml': strToU8(
    '<w:document><w:body><w:p><w:r><w:t>Terms of hire</w:t></w:r></w:p></w:body></w:document>',
  ),
});
const ROWS = ['day,rate,due', ...Array.from({ length: 14 }, (_, n) => `2026-11-${n + 10},95.00,${n}.00`)].join('\n');

t.before(async () => {
  const { smtpPort, agents, client } = started.instance;
  const raw = await new MailComposer({
    ...{ from: 'carol@remote.test', to: agents.ann.address, subject: 'Papers', text: 'All of them.' },
    attachments: [
      { filename: 'corner.png', content: Buffer.from(PNG, 'base64') },
      { filename: 'survey.pdf', content: PDF },
      { filename: 'broken.pdf', content: 'no PDF' },
      { filename: 'charges.csv', content: ROWS },
      { filename: 'inspection.ics', content: EVENT },
      { filename: 'terms.docx', content: Buffer.from(DOCX) },
      { filename: 'data.zip', content: Buffer.from('PK') },
    ],
  })
    .compile()
    .build();
  await sendMail(smtpPort, { to: [agents.ann.address], raw });
  await eventually(async () => (await client(agents.ann).messages.list({ limit: 1 })).messages.length > 0);
});

t.test('a mail shows its files', async (t) => {
  const { page, faults } = await started.person();
  await started.go(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Papers/ }).click();
  const charges = page.getByRole('region', { name: 'Preview of charges.csv' });
  await charges.getByRole('cell', { name: '2026-11-14' }).waitFor();
  await page.getByText('first 5 of 14 rows').waitFor();
  const event = page.getByRole('region', { name: 'Invitation' });
  t.match(
    await event.innerText(),
    /Joint inspection\s+2026-11-24 10:00 to 10:45 \(Europe\/Oslo\)\s+Terminal 3\. Marek asks; 1 of 2/,
  );
  await page
    .getByRole('region', { name: 'Preview of terms.docx' })
    .getByText('Terms of hire', { exact: true })
    .waitFor();
  await page.getByText('1 page,').waitFor();
  await page.getByText(NOT_SHOWN).waitFor();
  const image = page.getByRole('img', { name: 'corner.png' });
  await image.scrollIntoViewIfNeeded();
  await eventually(() => page.evaluate<boolean>("document.querySelector('.shot img').naturalWidth === 8"));
  t.match(await page.getByRole('list', { name: 'Attachments' }).innerText(), /^data\.zip\s+application\/zip, 2 bytes$/);
  const frame = page.frameLocator('iframe[title="First page of survey.pdf"]');
  const origin = await frame.locator('body').evaluate('self.origin');
  t.equal(origin, 'null', 'the PDF is drawn in an origin of its own');
  // WebKit takes a script for a frame of such an origin under these two conditions.
  const element = page.locator('iframe[title="First page of survey.pdf"]');
  t.equal(await element.getAttribute('sandbox'), null, 'the policy of the frame sandboxes it, no attribute');
  const script = await frame.locator('script').evaluate<string, { src: string }>(({ src }) => src);
  t.equal((await fetch(script)).headers.get('cross-origin-resource-policy'), null, 'its script is for any origin');
  t.same(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Open survey.pdf' }).click();
  const whole = page.frameLocator('iframe[title="survey.pdf"]').locator('canvas');
  await whole.waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  t.equal(await sidewaysScroll(page), 0, 'no sideways scrolling on a phone');
  t.same(faults, []);
});

t.test('a PDF that takes for ever holds up nothing but itself', async (t) => {
  const { smtpPort, agents, client } = started.instance;
  const raw = await new MailComposer({
    ...{ from: 'carol@remote.test', to: agents.ann.address, subject: 'Endless', text: 'Look.' },
    attachments: [
      { filename: 'endless.pdf', content: ENDLESS },
      { filename: 'plain.pdf', content: PDF },
    ],
  })
    .compile()
    .build();
  await sendMail(smtpPort, { to: [agents.ann.address], raw });
  await eventually(
    async () => (await client(agents.ann).messages.list({ limit: 1 })).messages[0]?.subject === 'Endless',
  );
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  await page.goto(started.at('/console/agents/ann'));
  await settled(page);
  await page.getByRole('link', { name: /Endless/ }).click();
  await page.getByText('1 page,').first().waitFor();
  t.equal(await page.title(), 'Endless · Postroom', 'the page answers while the other is drawn');
  const frame = page.frameLocator('iframe[title="First page of endless.pdf"]');
  await frame.locator('canvas').waitFor();
  t.equal(await page.getByText(NOT_SHOWN).count(), 0);
  await page.clock.fastForward(DRAWING_MS);
  await page.getByText(NOT_SHOWN).waitFor();
  t.same(faults, []);
});

t.test('a PDF whose frame comes without its script is said not to be shown, and saved instead', async () => {
  const { page } = await started.person();
  await started.go(page, '/console/agents/ann');
  await intercept(page, '**/console/frame/pdf', (route) => route.fulfill({ contentType: 'text/html', body: 'Busy' }));
  await page.getByRole('link', { name: /Papers/ }).click();
  const figure = page.getByRole('figure').filter({ hasText: 'survey.pdf' });
  await figure.getByText(NOT_SHOWN).waitFor();
  await figure.getByRole('link', { name: 'Save survey.pdf' }).waitFor();
});

t.test('an invitation as Google sends it is one card, in the time of its reader', async (t) => {
  const { smtpPort, agents } = started.instance;
  const content = EVENT.replaceAll(';TZID=Europe/Oslo', '')
    .replace(/(T\d{6})$/gm, '$1Z')
    .replaceAll('T10', 'T23');
  const raw = await new MailComposer({
    ...{
      from: 'carol@remote.test',
      to: agents.ann.address,
      subject: 'Inspection',
      text: 'Come.',
      html: '<p>Come.</p>',
    },
    icalEvent: { method: 'REQUEST', content, filename: 'invite.ics' },
  })
    .compile()
    .build();
  await sendMail(smtpPort, { to: [agents.ann.address], raw });
  const { page, context } = await started.signIn({ timezoneId: 'Europe/Oslo' });
  await started.visit(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Inspection/ }).click();
  const card = page.getByRole('region', { name: 'Invitation' });
  await card.waitFor();
  t.match(
    await card.innerText(),
    /25\s+Nov\s+Joint inspection\s+\S.* 00:00 to 00:45, your time\s+2026-11-24 23:00 to 23:45 \(UTC\)/,
    'and there is no second one',
  );
  await page.getByRole('list', { name: 'Attachments' }).getByText('.ics').waitFor();
  await context.close();
});
