/** `postroom contacts import|export`, beside a running daemon. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cliJson, runCli, runCliWith } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';

t.test('files', async (t) => {
  await using instance = await startInstance();
  await instance.addWorkspace('Globex');
  const { ann } = instance.agents;
  const path = (name: string): string => join(instance.directory, name);
  const contacts = (...args: string[]) => runCli(instance.configPath, 'contacts', ...args);
  const contactsJson = (...args: string[]) => cliJson(instance.configPath, 'contacts', ...args);
  writeFileSync(
    path('people.csv'),
    'email,name,phone,notes\ncarol@remote.test,Carol Diaz,+49 30 123456,=1+1\nnobody,x\ndave@remote.test,Dave\n',
  );

  await t.test('CSV goes in, and what is refused is told by its row', async (t) => {
    const imported = await contactsJson('import', path('people.csv'), '--workspace', 'acme', '--list', 'Fair');
    t.match(imported, { created: 2, added_to_list: 2, skipped: [{ row: 3, reason: 'invalid_email' }], failed: [] });
    const { code, stdout } = await contacts('import', path('people.csv'), '--workspace', 'Acme');
    t.equal(code, 0);
    t.match(stdout, /^0 created, 2 known already\. Columns: email, name, phone, notes\./);
    t.match(stdout, /3 +invalid_email/);
    const listed = await instance.request(ann, 'GET', '/v1/contacts?lookup=carol@remote.test');
    t.match(await listed.json(), { contacts: [{ name: 'Carol Diaz', notes: '=1+1' }] }, 'the daemon has it at once');
  });

  await t.test('a book goes out as vCards and into another workspace', async (t) => {
    t.match(await contactsJson('export', path('book.vcf'), '--workspace', 'acme'), { format: 'vcard', contacts: 2 });
    t.equal(statSync(path('book.vcf')).mode & 0o777, 0o600);
    t.match(await contactsJson('import', path('book.vcf'), '--workspace', 'globex'), { created: 2, failed: [] });
    const { stdout } = await runCliWith('', instance.configPath, 'contacts', 'export', '-', '--workspace', 'globex');
    const withoutIds = (book: string): string => book.replace(/^UID:.*\r\n/gm, '').trim();
    t.equal(withoutIds(stdout), withoutIds(readFileSync(path('book.vcf'), 'utf8')));
  });

  await t.test('a spreadsheet gets no formula', async (t) => {
    t.match(await contactsJson('export', path('book.csv'), '--workspace', 'acme'), { format: 'csv', contacts: 2 });
    const written = readFileSync(path('book.csv'), 'utf8');
    t.match(written, /^\ufeffemail,/);
    t.match(written, `"'+49 30 123456"`);
    t.match(written, `"'=1+1"`);
    t.notMatch(written, /(^|,|")[=+@-]/m);
    t.match(await contactsJson('import', path('book.csv'), '--workspace', 'globex'), {
      created: 0,
      matched_existing: 2,
    });
  });

  await t.test('a book that is imported once more makes no second contacts', async (t) => {
    const again = await contacts('import', path('book.vcf'), '--workspace', 'acme');
    t.match([again.code, again.stdout], [0, /^0 created, 2 known already\.\s*$/]);
    t.match(await contactsJson('import', path('book.vcf'), '--workspace', 'acme'), {
      created: 0,
      failed: [{ index: 0, reason: 'exists' }, { reason: 'exists' }],
    });
    const more = `${readFileSync(path('book.vcf'), 'utf8')}BEGIN:VCARD\r\nFN:Greta\r\nEND:VCARD\r\n`;
    writeFileSync(path('more.vcf'), more);
    t.match(
      (await contacts('import', path('more.vcf'), '--workspace', 'acme')).stdout,
      /^1 created, 2 known already\./,
    );
  });

  await t.test('a file of which nothing is imported', async (t) => {
    writeFileSync(path('names.csv'), 'email,name\n,Ann\n,Bob\nnobody,Carl\n');
    const { code, stdout } = await contacts('import', path('names.csv'), '--workspace', 'acme', '--list', 'Names');
    t.match([code, stdout], [1, /^Nothing was imported: 2 no_email, 1 invalid_email\. Columns: email, name\./]);
    writeFileSync(path('none.csv'), '');
    const none = await contacts('import', path('none.csv'), '--workspace', 'acme', '--json');
    t.match([none.code, JSON.parse(none.stdout)], [1, { created: 0, matched_existing: 0, list_id: null }]);
    const lists = await (await instance.request(ann, 'GET', '/v1/contacts/lists')).json();
    t.same(
      (lists as { lists: { name: string }[] }).lists.map(({ name }) => name),
      ['Fair'],
      'and no list is made',
    );
  });

  await t.test('stdin is read', async (t) => {
    const command = ['contacts', 'import', '-', '--workspace', 'acme', '--json'];
    const cards = 'BEGIN:VCARD\nVERSION:3.0\nFN:Eve Lee\nEND:VCARD\nBEGIN:VCARD\nNOTE:x\nEND:VCARD\n';
    t.same(JSON.parse((await runCliWith(cards, instance.configPath, ...command)).stdout), {
      created: 1,
      failed: [{ index: 1, reason: 'no_contact', field: null }],
    });
  });

  await t.test('refusals', async (t) => {
    writeFileSync(path('empty.vcf'), 'nothing');
    writeFileSync(path('people.dat'), 'a@remote.test');
    const cases: [args: string[], code: number, stderr: RegExp][] = [
      [['export', path('book.vcf'), '--workspace', 'acme'], 1, /exists/],
      [['export', path('none.vcf'), '--workspace', 'nobody'], 1, /workspace/],
      [['export', path('book.pdf'), '--workspace', 'acme'], 2, /--format/],
      [['export', path('book2.csv'), '--workspace', 'acme', '--format', 'pdf'], 2, /vcard or csv/],
      [['export', '-', '--workspace', 'acme', '--json'], 2, /stdout/],
      [['export', path('book2.csv')], 2, /--workspace/],
      [['export', path('book.txt'), '--workspace', 'acme'], 2, /--format/],
      [['export', path('gone/book.vcf'), '--workspace', 'acme'], 1, /: There is no folder .*gone\. Make it/],
      [['import', path('gone.csv'), '--workspace', 'acme'], 1, /: There is no file .*gone\.csv\.\s*$/],
      [['import', instance.directory, '--workspace', 'acme', '--format', 'csv'], 1, /is a folder/],
      [['import', path('empty.vcf'), '--workspace', 'acme'], 1, /no_valid_cards/],
      [['import', path('people.dat'), '--workspace', 'acme'], 2, /--format/],
      [['import', path('book.vcf'), '--workspace', 'acme', '--list', 'x'], 2, /--list/],
    ];
    for (const [args, code, stderr] of cases) {
      const run = await contacts(...args);
      t.match([run.code, run.stderr], [code, stderr], args.join(' '));
    }
    t.throws(() => statSync(path('none.vcf')), 'an export that fails leaves no file');
    t.match(await contactsJson('import', path('people.dat'), '--workspace', 'acme', '--format', 'csv'), { created: 1 });
  });
  t.same(instance.faults, []);
});
