/** A person with what all agents share: contacts and lists, an import, duplicates, notes, knowledge. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { isFit, isSoon, settled } from './fit.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);
const { go } = started;

t.test('contacts are made, changed, listed, deleted and brought back', async (t) => {
  const { instance } = started;
  const visitor = await started.person();
  const { page, faults } = visitor;
  const dialog = page.getByRole('dialog');
  const book = instance.client(instance.agents.ann).contacts;
  await go(page, '/console/contacts');
  await page.getByText('No contacts yet').waitFor();
  await page.getByRole('button', { name: 'New contact' }).click();
  await dialog.getByLabel('Given name').fill('Ines');
  await dialog.getByLabel('Family name').fill('Halvorsen');
  await dialog.getByLabel('E-mail addresses').fill('nonsense');
  await dialog.getByRole('button', { name: 'Add contact' }).click();
  const alert = dialog.getByRole('alert');
  t.equal(await alert.innerText(), 'Give an e-mail address without a name, as a@example.com.', 'as the service says');
  const wrong = dialog.getByLabel('E-mail addresses');
  t.equal(await wrong.getAttribute('aria-invalid'), 'true', 'it stands at its field');
  t.equal(await wrong.getAttribute('aria-describedby'), await alert.getAttribute('id'));
  await isSoon(
    t,
    () => wrong.evaluate((field) => field.ownerDocument.activeElement === field),
    true,
    'it has the focus',
  );
  t.equal(await dialog.locator('[aria-invalid]').count(), 1);

  // No stray press loses what was typed.
  const box = await dialog.boundingBox();
  if (!box) throw new Error('The dialog has no box.');
  await page.mouse.click(box.x + box.width - 5, box.y + 5);
  await page.mouse.move(box.x + 60, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(5, 5);
  await page.mouse.up();
  t.equal(await page.getByText('unsaved?').count(), 0);
  await page.mouse.click(5, 5);
  await page.getByRole('button', { name: 'Go on writing' }).click();
  const asked = page.getByText('Close “New contact” unsaved?');
  for (let time = 0; time < 3; time += 1) {
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: time === 1 ? 'detached' : 'visible' });
  }
  await page.getByRole('button', { name: 'Go on writing' }).click();
  t.equal(await wrong.inputValue(), 'nonsense');
  await wrong.fill('ines@remote.test (work)\nines@home.test');
  await isFit(t, visitor, 'the form of a contact');
  await dialog.getByRole('button', { name: 'Add contact' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ines Halvorsen' }).waitFor();
  const [ines] = (await book.list({})).contacts;
  t.match(ines?.channels, [
    { value: 'ines@remote.test', label: 'work' },
    { value: 'ines@home.test', label: null },
  ]);

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.waitFor();
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Job title').fill('Key accounts');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Close unsaved' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Job title').fill('Key accounts');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Ines Halvorsen is saved').waitFor();
  t.equal((await book.list({})).contacts[0]?.job_title, 'Key accounts');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('is as before').waitFor();
  t.equal((await book.list({})).contacts[0]?.job_title, null);

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No contacts yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ines Halvorsen' }).waitFor();
  await page.getByRole('button', { name: 'Add fact' }).click();
  await dialog.getByLabel('Fact').fill('Away on Fridays');
  await dialog.getByRole('button', { name: 'Add fact' }).click();
  await page.getByText('Away on Fridays').waitFor();
  t.match((await book.list({})).contacts[0]?.memories, [{ fact: 'Away on Fridays' }]);
  await instance.client(instance.agents.bob).messages.send({ to: ['ines@remote.test'], subject: 'Hi', body: 'Hi' });
  await page.reload();
  await page.getByRole('row', { name: /bob ines@remote\.test the agent wrote/ }).waitFor();
  await isFit(t, visitor, 'a contact');
  await page.getByRole('link', { name: 'bob', exact: true }).last().click();
  await page.getByRole('navigation', { name: 'Found messages' }).getByRole('link', { name: /Hi/ }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Ines Halvorsen' }).waitFor();

  await page.getByRole('link', { name: 'Lists' }).click();
  await page.getByRole('button', { name: 'New list' }).click();
  await dialog.getByLabel('Name').fill('Customers');
  await dialog.getByRole('button', { name: 'Make list' }).click();
  await page.getByText('Nobody is on it').waitFor();
  await page.getByRole('button', { name: 'Add member' }).click();
  await dialog.getByRole('searchbox').fill('halvor');
  await dialog.getByRole('button', { name: 'Add Ines Halvorsen' }).click();
  await page.getByText('Ines Halvorsen is on “Customers”').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Take off' }).click();
  await page.getByText('Nobody is on it').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /Ines Halvorsen/ }).waitFor();
  await isFit(t, visitor, 'a list');
  t.same(faults, []);
});

t.test('an import is shown before anything is written; duplicates stand side by side and are merged', async (t) => {
  const { instance } = started;
  const visitor = await started.person();
  const { page, faults } = visitor;
  const book = instance.client(instance.agents.ann);
  await go(page, '/console/contacts/import');
  const file = (name: string, text: string) =>
    page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text, 'latin1') });
  await file('people.csv', 'email;name\nines@remote.test;I\nliv@remote.test;Liv D\xf8hl\nnobody;No\n');
  await page.getByText('What the import does').waitFor();
  await page.getByRole('row', { name: /new 3 Liv Døhl liv@remote\.test/ }).waitFor();
  await page.getByRole('row', { name: /there already 2 .*Ines Halvorsen, not changed/ }).waitFor();
  await page.getByRole('row', { name: /skipped 4 nobody, No/ }).waitFor();
  t.equal((await book.contacts.list({})).contacts.length, 1, 'nothing is written yet');
  const chosen = () => page.getByLabel('File', { exact: true }).evaluate(({ value }: { value: string }) => value);
  t.match(await chosen(), /people\.csv$/, 'the field names the file that is shown');
  await isFit(t, visitor, 'the preview');
  await page.getByLabel('Put them on a list').fill('Fair');
  await page.getByRole('button', { name: 'Import 1 contact' }).click();
  await page.getByText('1 contact came in.').waitFor();
  t.equal(await chosen(), '');
  t.match(await page.locator('.callout').innerText(), '1 was there already and is as it was. 1 was skipped.');
  const { lists } = await book.contactLists.list({});
  t.match(
    lists.find(({ name }) => name === 'Fair'),
    { member_count: 2 },
  );
  await file('cards.vcf', 'BEGIN:VCARD\nVERSION:3.0\nFN:Liv Dahl\nEMAIL:liv@remote.test\nEND:VCARD\n');
  await page.getByRole('row', { name: /new 1 Liv Dahl .*has an address of Liv Døhl/ }).waitFor();
  await page.getByRole('button', { name: 'Import 1 contact' }).click();
  await page.getByText('1 contact came in.').waitFor();
  t.equal((await book.contacts.list({})).contacts.length, 3);

  await go(page, '/console/contacts/duplicates');
  const pair = page.getByRole('region', { name: /Liv D/ });
  await pair.getByText('The same address').waitFor();
  await isFit(t, visitor, 'duplicates');
  t.equal(await pair.getByRole('row', { name: /^Name Liv D.hl Liv D.hl$/ }).count(), 1, 'side by side');
  const names = await pair.getByRole('row', { name: /^Name/ }).getByRole('cell').allInnerTexts();
  await pair.getByRole('button', { name: 'Merge here' }).last().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Merge contacts' }).click();
  await page.getByText('No two contacts look like one person').waitFor();
  const { contacts } = await book.contacts.list({ q: 'liv' });
  t.match(contacts, [{ name: names.at(-1) ?? '' }]);

  await go(page, '/console/contacts');
  for (const [format, name, begin] of [
    ['vcard', 'contacts.vcf', 'BEGIN:VCARD\r\nVERSION:4.0\r\n'],
    ['csv', 'contacts.csv', '\ufeffemail'],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').getByLabel('File').selectOption(format);
    const saving = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    const saved = await saving;
    t.equal(saved.suggestedFilename(), name);
    const text = readFileSync(await saved.path(), 'utf8');
    t.equal(text.slice(0, begin.length), begin);
    t.match(text, /ines@remote\.test[\s\S]*liv@remote\.test/);
    await page.getByText('2 contacts exported').first().waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  t.same(faults, []);
});

t.test('notes are written, kept from an agent, deleted and brought back', async (t) => {
  const { instance } = started;
  const visitor = await started.person();
  const { page, faults } = visitor;
  const dialog = page.getByRole('dialog');
  const { ann, bob } = instance.agents;
  const read = async (agent: typeof ann) => (await instance.client(agent).notes.list({})).notes.length;
  await go(page, '/console/notes');
  await page.getByRole('button', { name: 'New note' }).click();
  await dialog.getByLabel('Title').fill('Fair');
  await dialog.getByLabel('Note', { exact: true }).fill('Stand 12');
  await dialog.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fair' }).waitFor();
  t.same([await read(ann), await read(bob)], [1, 1]);
  await page.getByRole('switch', { name: 'Every agent' }).click();
  await page.getByRole('switch', { name: 'bob' }).click();
  await page.getByText('bob reads it no more').waitFor();
  t.same([await read(ann), await read(bob)], [1, 0]);
  await isFit(t, visitor, 'a note');
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Note', { exact: true }).fill('Stand 13');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The note is as before').waitFor();
  await page.getByRole('switch', { name: 'Every agent' }).click();
  await page.getByText('Every agent reads it').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No notes yet').waitFor();
  t.same([await read(ann), await read(bob)], [0, 0]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('“Fair” is back').waitFor();
  t.same([await read(ann), await read(bob)], [1, 1]);
  // A new one would be every agent's to read: one that is kept from some is not brought back.
  await page.getByRole('switch', { name: 'Every agent' }).click();
  await page.getByText('Only the agents that are named read it').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByText('It is gone for good').waitFor();
  await dialog.getByRole('button', { name: 'Delete note' }).click();
  await page.getByText('No notes yet').waitFor();
  t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  t.same(faults, []);
});

t.test('a source is added, read while one looks on, asked, and removed', async (t) => {
  const { instance } = started;
  const visitor = await started.person();
  const { page, faults } = visitor;
  const dialog = page.getByRole('dialog');
  await go(page, '/console/knowledge');
  await page.getByText('No sources yet').waitFor();
  await page.getByRole('button', { name: 'Add source' }).click();
  await dialog.getByLabel('Address').fill('https://10.0.0.4/');
  await dialog.getByRole('button', { name: 'Add source' }).click();
  await dialog.getByText('private or loopback').waitFor();
  await dialog.getByRole('button', { name: 'Text' }).click();
  await dialog.getByLabel('Title').fill('Shipping');
  await dialog.getByLabel('Text', { exact: true }).fill('# Bergen\n\nParcels to Bergen take two days.');
  await isFit(t, visitor, 'the form of a source');
  await dialog.getByRole('button', { name: 'Add source' }).click();
  await page.getByRole('row', { name: /Shipping text ready 1/ }).waitFor();
  await settled(page);
  await page.getByRole('searchbox').fill('How long to Bergen?');
  await page.getByText('Parcels to Bergen take two days.').waitFor();
  await isFit(t, visitor, 'passages');
  await page.getByRole('button', { name: 'Shipping' }).click();
  await dialog.getByText('# Bergen').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('');
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove source' }).click();
  await page.getByText('No sources yet').waitFor();
  t.same([faults, instance.faults], [[], []]);
});

t.test('where the only row of a last page is deleted, the page before it is shown', async (t) => {
  const { instance } = started;
  const { page, faults } = await started.person();
  const book = instance.client(instance.agents.ann);
  const before = (await book.contacts.list({ limit: 100 })).contacts.length;
  const [rows, members] = [51 - before, 101];
  const csv = Array.from({ length: members }, (_, at) => `row-${at}@remote.test`).join('\n');
  const { contact_ids: ids, list_id } = await book.contactImport.import({ csv, list_name: 'Long' });
  await go(page, `/console/contacts/lists/${list_id}`);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('button', { name: 'Take off' }).click();
  await page.getByRole('button', { name: 'Older' }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /row-50@/ }).waitFor();

  for (const id of ids.slice(rows)) await book.contacts.remove({ id });
  await go(page, '/console/contacts');
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('page 2').waitFor();
  await page.getByRole('navigation', { name: 'Contacts' }).getByRole('link').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete contact' }).click();
  await page.getByRole('button', { name: 'Older' }).waitFor({ state: 'detached' });
  await isSoon(t, () => page.getByRole('navigation', { name: 'Contacts' }).getByRole('link').count(), 50);
  t.same(faults, []);
});
