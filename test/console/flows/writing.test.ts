/** A person writes in the name of an agent: a reply in its place, a new mail in a sheet, drafts that are there again. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { DESKTOP, findBarriers, PHONE, sidewaysScroll } from '../../harness/http/chromium.ts';
import { OWNER, signInOwner } from '../../harness/http/owner.ts';
import { asOperator } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { intercept, isSoon, isStill, settled, WATCH_SHIFTS } from '../fit.ts';
import { startConsole } from '../started.ts';

interface Draft {
  draft_id: string;
  subject: string;
  snippet: string;
}

const started = startConsole(t);
t.before(async () => {
  const { smtpPort, agents, client } = started.instance;
  const headers = { Subject: 'Survey', From: 'Kari Lunde <k@remote.test>', Cc: 'Marek <m@remote.test>' };
  await sendMail(smtpPort, { to: [agents.ann.address], headers, text: 'Does Tuesday suit you?' });
  await eventually(async () => (await client(agents.ann).messages.list({})).messages.length === 1);
});

t.test('a reply opens in its place, is there again, and shows in the thread at once', async (t) => {
  const { page, faults } = await started.person();
  await started.go(page, '/console/agents/ann');
  await page.getByRole('link', { name: /Survey/ }).click();
  await page.getByRole('button', { name: 'Reply to Kari Lunde' }).waitFor();
  await page.keyboard.press('Shift+R');
  const compose = page.getByRole('region', { name: 'Reply to all' });
  const text = compose.getByRole('textbox', { name: 'Text: Reply to all' });
  await text.waitFor();
  await isSoon(t, () => page.evaluate('document.activeElement.tagName'), 'TEXTAREA', 'the text is written at once');
  t.match(await compose.innerText(), /sent by owner@remote\.test for ann.*Kari Lunde.*Cc.*Marek/s);
  await text.fill('It suits us.');
  await compose.locator('input[type=file]').setInputFiles({
    ...{ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('A plan') },
  });
  await compose.getByText('plan.txt').waitFor();
  await compose.getByText(/Draft kept/).waitFor();
  t.same(await findBarriers(page), []);
  await page.reload();
  await isSoon(t, () => text.inputValue(), 'It suits us.', 'the draft is there again');
  await compose.getByText('plan.txt').waitFor();
  await text.press('Control+Enter');
  await page.getByText('Sent to k@remote.test and 1 other').waitFor();
  const thread = page.getByRole('list', { name: '2 messages, the oldest first' });
  await thread.getByText('sent by owner@remote.test for ann').waitFor();
  await thread.getByText('plan.txt').waitFor();
  t.match(await thread.innerText(), /ann by owner.*plan\.txt/s);
  await page.keyboard.press('f');
  const forward = page.getByRole('region', { name: 'Forward' });
  await forward.getByText(/The mail of .* follows beneath, with 1 file: plan.txt/).waitFor();
  await isSoon(t, () => page.evaluate('document.activeElement.tagName'), 'INPUT', 'whom it goes to is asked first');
  t.same(faults, []);
});

t.test('a new mail is written in a sheet that closes freely; what is held is told', async (t) => {
  const { page, faults } = await started.person();
  await page.setViewportSize(PHONE);
  await started.go(page, '/console/mail');
  await page.keyboard.press('c');
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  await sheet.getByRole('textbox', { name: 'Text: New mail' }).waitFor();
  await page.keyboard.type('bob, kar');
  t.equal(await sidewaysScroll(page), 0);
  t.same(await findBarriers(page), []);
  const listed = page.waitForResponse('**/console/api/writing/drafts');
  await page.route('**/console/api/writing/save', async (route) => {
    await listed;
    await route.continue();
  });
  await sheet.getByRole('textbox', { name: 'Subject' }).fill('Price list');
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  // The list that was asked for before the draft was kept has it, too.
  await started.go(page, '/console/mail?show=drafts');
  await page.getByRole('link', { name: /Price list/ }).click();
  await isSoon(t, () => sheet.getByRole('textbox', { name: 'Subject' }).inputValue(), 'Price list');
  await sheet.getByRole('textbox', { name: 'Text: New mail' }).fill('Here it is.');
  await sheet.getByRole('button', { name: 'Send', exact: true }).click();
  await sheet.getByText('“bob” is no e-mail address. Write it as a@example.com.').waitFor();
  await sheet.getByRole('button', { name: 'Leave out bob' }).click();
  await sheet.getByRole('button', { name: 'Leave out kar' }).click();
  await sheet.getByRole('combobox', { name: 'To' }).fill(started.instance.agents.bob.address);
  const owner = await signInOwner(started.instance);
  await owner.call('agents/hold', { agent: 'ann', hold: true });
  await sheet.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Held, as ann’s own mail is').waitFor();
  await page.getByRole('link', { name: 'Decide' }).click();
  await page.getByText(`sent by ${OWNER} for ann`).waitFor();
  await settled(page);
  await page.setViewportSize(DESKTOP);
  t.same(faults, []);
});

t.test('a mail waits for the file that is being attached', async (t) => {
  const { page } = await started.person();
  await started.visit(page, '/console/mail');
  await page.keyboard.press('c');
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  await sheet.getByRole('combobox', { name: 'To' }).fill(started.instance.agents.bob.address);
  const text = sheet.getByRole('textbox', { name: 'Text: New mail' });
  await text.fill('It is attached.');
  await sheet.getByText(/Draft kept/).waitFor();
  const upload = Promise.withResolvers<void>();
  await intercept(page, '**/console/api/writing/attach', async (route) => {
    await upload.promise;
    await route.continue();
  });
  await sheet.locator('input[type=file]').setInputFiles({
    ...{ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('A plan') },
  });
  await sheet.getByText('Attaching…').waitFor();
  const sends: string[] = [];
  page.on('request', (request) => request.url().endsWith('/writing/send') && sends.push(request.url()));
  await text.press('Control+Enter');
  await sheet.getByRole('combobox', { name: 'To' }).press('Control+Enter');
  t.same(sends, []);
  upload.resolve();
  await sheet.getByText('plan.txt').waitFor();
  await sheet.locator('input[type=file]').setInputFiles({
    ...{ name: 'page.mht', mimeType: 'multipart/related', buffer: Buffer.from('MIME-Version: 1.0') },
  });
  await sheet.getByText('page.mht').waitFor();
  await text.press('Control+Enter');
  await page.getByText(/^(?:Sent to|Held)/).waitFor();
  t.equal(sends.length, 1);
  await page.unroute('**/console/api/writing/attach');
});

t.test('a picture that is pasted is attached, but not that of a text from Word or Excel', async (t) => {
  const { page } = await started.person();
  await started.visit(page, '/console/mail');
  await page.keyboard.press('c');
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  await sheet.getByRole('textbox', { name: 'Text: New mail' }).waitFor();
  const paste = (name: string, texts: object) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      for (const [type, text] of Object.entries(${JSON.stringify(texts)})) clipboardData.setData(type, text);
      clipboardData.items.add(new File(['x'], '${name}', { type: 'image/png' }));
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true });
      document.querySelector('dialog textarea').dispatchEvent(event);
    }`);
  await paste('cells.png', { 'text/plain': '1\t2', 'text/html': '<table><tr><td>1<td>2</table>' });
  await paste('screen.png', {});
  await sheet.getByText('screen.png').waitFor();
  await paste('page.png', { 'text/html': '<img src="https://remote.test/a.png">' });
  await sheet.getByText('page.png').waitFor();
  t.equal(await sheet.getByText('cells.png').count(), 0);
});

t.test('two windows on one draft lose no text, and no mail goes without the files that it showed', async (t) => {
  const { page, context } = await started.person();
  await started.visit(page, '/console/mail');
  await page.keyboard.press('c');
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  await sheet.getByRole('combobox', { name: 'To' }).fill(started.instance.agents.bob.address);
  await sheet.getByRole('textbox', { name: 'Subject' }).fill('In two windows');
  await sheet.locator('input[type=file]').setInputFiles({
    ...{ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('A plan') },
  });
  await sheet.getByText('plan.txt').waitFor();

  const other = await context.newPage();
  await started.visit(other, '/console/mail?show=drafts');
  await other.getByRole('link', { name: /In two windows/ }).click();
  const inOther = other.getByRole('dialog', { name: 'New mail' });
  const owner = await signInOwner(started.instance);
  const texts = async () => {
    const { drafts } = (await owner.call('writing/drafts', {})).body;
    return drafts.filter(({ subject }: Draft) => subject === 'In two windows').map(({ snippet }: Draft) => snippet);
  };
  await inOther.getByRole('textbox', { name: 'Text: New mail' }).fill('What the other has.');
  await isSoon(t, texts, ['What the other has.']);

  await sheet.getByRole('textbox', { name: 'Text: New mail' }).fill('What this one has.');
  await sheet.getByText(/changed in another window/).waitFor();
  t.equal(await sheet.getByText('plan.txt').count(), 0, 'it has the files no more');
  await page.keyboard.press('Escape');
  await isSoon(t, texts, ['What this one has.', 'What the other has.']);
  for (const { draft_id } of (await owner.call('writing/drafts', {})).body.drafts as Draft[]) {
    await owner.call('writing/discard', { draft_id });
  }
  await inOther.getByRole('textbox', { name: 'Text: New mail' }).press('Control+Enter');
  await inOther.getByText(/sent, discarded or changed/).waitFor();
  t.equal(await inOther.getByText('plan.txt').count(), 0);
  await other.close();
});

t.test('what could not be kept is kept once there is an answer, after its screen was left, too', async (t) => {
  const { context, page } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  await started.visit(page, '/console/mail');
  let unanswered = 0;
  await intercept(page, '**/console/api/writing/save', (route) => {
    unanswered += 1;
    return route.abort();
  });
  await page.keyboard.press('c');
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  await sheet.getByRole('textbox', { name: 'Subject' }).fill('Written while it was away');
  await sheet.getByText('Postroom did not answer').waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await eventually(async () => unanswered >= 2);
  await page.unroute('**/console/api/writing/save');
  const owner = await signInOwner(started.instance);
  await eventually(async () => {
    await page.clock.fastForward(3_000);
    return JSON.stringify(await owner.call('writing/drafts', {})).includes('Written while it was away');
  });
});

t.test(
  'the day of an agent has what was sent and held; booked mail is changed and cancelled in the queue',
  async (t) => {
    const { page, faults } = await started.person();
    await page.addInitScript(WATCH_SHIFTS);
    await started.visit(page, '/console/agents/ann');
    await page.getByRole('navigation', { name: 'ann' }).getByRole('link', { name: 'Day' }).click();
    await page.getByRole('img', { name: /^By the hour: 1 in, 1 out/ }).waitFor();
    await page.getByRole('row', { name: /Re: Survey.*owner/ }).waitFor();
    await page.getByRole('row', { name: /Price list.*held/ }).waitFor();
    t.same(await findBarriers(page), []);
    await page.getByRole('button', { name: 'As a table' }).click();
    const hours = page.getByRole('table', { name: /by the hour/ }).getByRole('row');
    await isSoon(t, () => hours.count(), 25);
    await page.getByRole('button', { name: 'The day before' }).click();
    await page.getByText('Nothing was sent').waitFor();

    const owner = await signInOwner(started.instance);
    const mail = { agent: 'ann', kind: 'new', to: ['k@remote.test'], subject: 'Later', body: 'x' };
    await owner.call('writing/send', { ...mail, send_at: new Date(Date.now() + 3_600_000).toISOString() });
    await started.visit(page, '/console/queue');
    await isStill(t, page, 'writing');
    const row = page.getByRole('row', { name: /Later/ });
    await row.getByRole('button', { name: 'Change' }).click();
    const asks = page.getByRole('dialog', { name: 'When does “Later” go?' });
    await asks.getByLabel('Goes at').waitFor();
    await asks.getByRole('button', { name: 'Change' }).click();
    await page.getByText(/It goes/).waitFor();
    await row.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel mail' }).click();
    await page.getByText('Nothing is booked').waitFor();
    t.same(await findBarriers(page), []);
    t.same(faults, []);
  },
);

t.test('beyond eight agents the rail has a filter, and those that matter now', async (t) => {
  await asOperator(started.instance, async (call) => {
    for (let n = 1; n <= 8; n += 1) await call(contracts.agents.add, { handle: `more-${n}`, workspace: 'acme' });
  });
  const { page, faults } = await started.person();
  await started.go(page, '/console/agents/more-7');
  const rail = page.getByRole('navigation', { name: 'Console' });
  const agents = rail.locator('a.sub:not(.all)');
  await isSoon(t, () => agents.count(), 8);
  t.match(await agents.allTextContents(), { 0: /^ann/ }, 'by name');
  t.equal(await rail.getByRole('link', { name: 'more-7' }).getAttribute('aria-current'), 'page');
  await rail.getByRole('link', { name: 'All 10 agents' }).waitFor();
  await rail.getByLabel('Filter agents').fill('re-3');
  await isSoon(t, () => agents.allTextContents(), ['more-3']);
  t.same(await findBarriers(page), []);
  t.same(faults, []);
});

t.test('Enter behind part of a name takes the one contact that has it', async (t) => {
  const { page } = await started.person();
  const { contacts } = started.instance.client(started.instance.agents.ann);
  await contacts.create({
    given_name: 'Amalie',
    family_name: 'Vik',
    channels: [{ kind: 'email', value: 'a@vik.test' }],
  });
  await contacts.create({ given_name: 'Ole', family_name: 'Vik', channels: [{ kind: 'email', value: 'o@vik.test' }] });
  await started.go(page, '/console/mail');
  await page.keyboard.press('c');
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  const to = sheet.getByLabel('To', { exact: true });
  const type = async (text: string, found: number): Promise<void> => {
    await to.fill(text);
    await isSoon(t, () => sheet.locator('datalist option').count(), found);
    await to.press('Enter');
  };
  await type('vik', 2);
  await sheet.getByText('vik', { exact: true }).waitFor();
  await type('ama', 1);
  await sheet.getByRole('button', { name: 'Leave out Amalie Vik <a@vik.test>' }).waitFor();
});
