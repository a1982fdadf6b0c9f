/** What an owner made and put together is thrown away by clicks, a sign-in last; a booking and an export beside. */

import { readFile } from 'node:fs/promises';
import t from 'tap';
import type { Browser } from '../../harness/http/browser.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { button, heading, press, said } from '../fit.ts';
import { startConsole } from '../started.ts';

let owner: Browser;
const started = startConsole(t, {
  prepare: async (instance) => {
    owner = await signInOwner(instance);
  },
});

const { flow } = started;

const call = async (path: string, input: object = {}) => {
  const { status, body } = await owner.call(path, input);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body as Record<string, unknown>;
};

flow(
  'a contact is put on a list, off it and on again; the list is deleted, the contact stays',
  'contacts',
  async (t, page) => {
    await call('contacts/create', { given_name: 'Kari', channels: [{ kind: 'email', value: 'k@remote.test' }] });
    await call('contactLists/create', { name: 'Friends' });
    await started.go(page, '/console/contacts');
    await page.getByRole('link', { name: /Kari/ }).click();
    await heading(page, 'Kari').waitFor();
    const add = page.getByLabel('Add to a list');
    await add.selectOption({ label: 'Friends' });
    await said(page, 'Kari is on “Friends”');
    await add.selectOption({ label: 'Friends' });
    await said(page, 'Kari is on “Friends” already');
    await started.go(page, '/console/contacts/lists');
    await page.getByRole('link', { name: /Friends/ }).click();
    await heading(page, 'Friends').waitFor();
    await page
      .getByRole('main')
      .getByRole('button', { name: /Take off|Remove/ })
      .first()
      .click();
    await said(page, 'Kari is off the list');
    await button(page, 'Undo').click();
    await page.getByRole('main').getByRole('link', { name: /Kari/ }).waitFor();
    await button(page, 'Delete').click();
    await press(page, 'Delete list');
    await said(page, '“Friends” is deleted');
    const { contacts } = await call('contacts/list');
    t.match(contacts, [{ given_name: 'Kari' }]);
  },
);

flow('a secret is deleted; the log that says so is exported', 'vault', async (t, page) => {
  await call('secrets/add', { name: 'shop', type: 'api_key', value: { key: 'it is a secret' }, grants: ['ann'] });
  await started.go(page, '/console/vault');
  await page.getByRole('link', { name: /shop/ }).click();
  await heading(page, 'shop').waitFor();
  await button(page, 'Delete').click();
  await page.getByText(/ann cannot open it any more/).waitFor();
  await press(page, 'Delete secret');
  await said(page, '“shop” is deleted');
  await started.go(page, '/console/activity');
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export CSV').click()]);
  const csv = await readFile(await download.path(), 'utf8');
  t.match(csv, /^at,who,action,subject,mail,note,via,detail\r\n[^,]+,owner@remote\.test,secret\.remove,shop,/);
});

flow('a draft is discarded; a mail is booked and cancelled', 'mail', async (t, page) => {
  const { client, agents } = started.instance;
  const sheet = page.getByRole('dialog', { name: 'New mail' });
  const write = async (subject: string): Promise<void> => {
    await page.keyboard.press('c');
    await sheet.getByRole('combobox', { name: 'To' }).fill('carol@remote.test');
    await sheet.getByRole('textbox', { name: 'Subject' }).fill(subject);
    await sheet.getByRole('textbox', { name: 'Text: New mail' }).fill('Here it is.');
  };
  await write('Never sent');
  await sheet.getByText(/Draft kept/).waitFor();
  await button(page, 'Discard').click();
  await press(page, 'Discard', /\?$/);
  await said(page, 'The draft is discarded');
  t.same((await call('writing/drafts')).drafts, []);

  await write('For tomorrow');
  await button(page, 'Book').click();
  await press(page, 'Book', /^Book/);
  const booked = async () => (await client(agents.ann).scheduled.listScheduled({})).scheduled;
  await eventually(async () => (await booked()).length === 1);
  await started.go(page, '/console/queue');
  await button(page, 'For tomorrow').click();
  await page.getByRole('dialog').getByText('Here it is.').waitFor();
  await press(page, 'Close');
  await page.getByRole('row').filter({ hasText: 'For tomorrow' }).getByRole('button', { name: 'Cancel' }).click();
  await press(page, 'Cancel mail');
  t.same(await booked(), []);
});

flow('a one-time code of a mail is at hand', 'mail', async (t, page) => {
  const { smtpPort, agents } = started.instance;
  const headers = { Subject: 'Your code' };
  await sendMail(smtpPort, { to: [agents.ann.address], headers, text: 'Your verification code is 482913.' });
  await page.getByRole('link', { name: /Your code/ }).click();
  await button(page, 'Copy code').waitFor();
  t.equal(await page.locator('.found output').innerText(), '482913');
});

flow('each browser is signed out', 'you', async (t, page) => {
  await button(page, 'Sign out everywhere').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page
    .getByRole('button', { name: /sign-in link|Mail me/i })
    .first()
    .waitFor();
  await t.rejects(call('contacts/list'), /401/);
});
