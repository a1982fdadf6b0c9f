/** Words of others that would run a script: in CSV, vCards, notes, sources, answers of endpoints and names of applications. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { corpusPath, missingCorpora } from '../../corpus/corpora.ts';
import { launchChromium, sidewaysScroll } from '../../harness/http/chromium.ts';
import { startWebhookInstance } from '../../harness/http/webhooks.ts';
import { rounds } from '../../harness/long-form.ts';
import { exchange, obtainCode, register, signIn } from '../../harness/oauth/oauth-client.ts';
import { goTo, settled, signInTo } from '../fit.ts';
import { BREAK_OUT } from './payloads.ts';

/** Beside the collection: what breaks out of an attribute, a template or a URL, and out of a cell. */
const OWN = [...BREAK_OUT, 'long'.repeat(37), `=HYPERLINK("https://evil.example/";"x")<b onmouseover=window.ran=1>`];

const MAX_NAME = 150;
const line = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME);
const inCell = (text: string): string => `"${line(text).replaceAll('"', '""')}"`;
const inCard = (text: string): string => line(text).replace(/([\\,;])/g, '\\$1');

t.test('no script of a field runs, and nothing is loaded', { skip: missingCorpora }, async (t) => {
  await using hooks = await startWebhookInstance();
  await using chromium = await launchChromium();
  const { instance, receiver, clock } = hooks;
  const { ann } = instance.agents;
  const corpus = JSON.parse(readFileSync(corpusPath('dompurify', 'payloads.json'), 'utf8')) as { payload: string }[];
  const all = [...OWN, ...corpus.map(({ payload }) => payload)].filter((payload) => line(payload) !== '');
  t.ok(all.length > 100);

  const { page, strayRequests, faults } = await signInTo(chromium, instance, {}, 'acme');
  page.on('dialog', (dialog) => {
    faults.push(`A dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  const at = (path: string): string => new URL(path, instance.baseUrl).href;
  const isQuiet = async (about: string): Promise<void> => {
    await settled(page);
    t.equal(await page.evaluate<unknown>('window.ran'), undefined, about);
    t.equal(await sidewaysScroll(page), 0, `${about}: no sideways scrolling`);
  };
  const show = async (path: string): Promise<void> => {
    clock.pass(20_000);
    await goTo(page, at(path));
    await isQuiet(path);
  };
  const importFile = async (name: string, text: string): Promise<void> => {
    await show('/console/contacts/import');
    const buffer = Buffer.from(text);
    await page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/plain', buffer });
    await page.getByText('What the import does').waitFor();
    await isQuiet(`the preview of ${name}`);
    await page.getByRole('button', { name: /^Import \d/ }).click();
    await page.getByText(/came in\./).waitFor();
    await isQuiet(`the import of ${name}`);
  };
  const rows = all.map(
    (text, n) => `p${n}@remote.test,${inCell(text)},${inCell(text)},${inCell(text)},${inCell(text)}`,
  );
  await importFile(`${OWN[0]?.replaceAll('/', '')}.csv`, `email,name,company,title,notes\n${rows.join('\n')}\n`);
  const cards = all.map(
    (text, n) =>
      `BEGIN:VCARD\nVERSION:4.0\nFN:${inCard(text)}\nN:${inCard(text)};${inCard(text)};;;\nORG:${inCard(text)}\nNOTE:${inCard(text)}\nADR;LABEL="x":;;${inCard(text)};;;;\nEMAIL:p${n}@remote.test\nEND:VCARD\n`,
  );
  await importFile('cards.vcf', cards.join(''));

  const book = instance.client(ann);
  const { contacts } = await book.contacts.list({ limit: rounds(3, 12) });
  for (const { id } of contacts) await book.contacts.remember({ id, fact: all.slice(0, 8).join(' ').slice(0, 900) });
  await book.contactLists.create({ name: line(all[0] ?? ''), description: all[1] ?? '' });
  for (const text of OWN) {
    await book.notes.create({ title: line(text), body: all.join('\n').slice(0, 50_000) });
    await book.knowledge.add({ kind: 'text', title: line(text), body: `${text}\n\n# onerror ${text}\n\n${text}` });
  }
  const { id: webhook } = await book.webhooks.create({
    url: hooks.url('/"><img src=x>'),
    events: ['message.received'],
  });
  receiver.answer((_request, response) => response.writeHead(500).end(OWN.join('\n')));
  await hooks.mail(OWN[0]);
  const person = await signIn(instance);
  for (const client_name of OWN.slice(0, 2)) {
    const { clientId } = await register(instance, { client_name });
    const { code, pkce } = await obtainCode(person, clientId);
    await exchange(instance, clientId, code, pkce);
  }

  await show('/console/contacts');
  for (let pages = 0; pages < 2; pages += 1) {
    await page.getByRole('button', { name: 'Older' }).click();
    await isQuiet(`contacts, page ${pages + 2}`);
  }
  for (const { id } of contacts) await show(`/console/contacts/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await isQuiet('the form of a contact');
  await show('/console/contacts/duplicates');
  await page.getByRole('button', { name: 'Merge here' }).first().click();
  await isQuiet('the question of a merge');
  await show('/console/contacts/lists');
  await page.getByRole('navigation', { name: 'Lists' }).getByRole('link').first().click();
  await isQuiet('a list');
  for (const { id } of (await book.notes.list({ limit: rounds(3, 20) })).notes) await show(`/console/notes/${id}`);
  await show('/console/knowledge');
  await page.getByRole('searchbox').fill('onerror');
  await page.getByText('best first').waitFor();
  await isQuiet('passages');
  await page.locator('.passages button').first().click();
  await page.getByRole('dialog').locator('pre').waitFor();
  await isQuiet('a page of knowledge');
  await show(`/console/webhooks/${webhook}`);
  await page.getByRole('row', { name: /500/ }).first().waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('It was not taken.').waitFor();
  await isQuiet('what an endpoint answered');
  await show('/console/connections');
  t.match(await page.getByRole('main').innerText(), 'onerror=window.ran=1', 'a name is shown as it is');
  await page
    .getByRole('button', { name: /Cut off/ })
    .first()
    .click();
  await isQuiet('the question of cutting off');
  await show('/console/activity');
  t.same(strayRequests, [], 'nothing of another host was asked for');
  t.same(faults, [], 'nothing ran, and nothing was refused');
  t.same(instance.faults, []);
});
