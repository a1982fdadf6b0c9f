/** What `postroom mail import` makes of mail, beside the daemon that serves. */

import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { documentOf, importInto, listMail, mailText, toMbox } from './mail-files.ts';

const instance = await startInstance({ smtp: 'max_message_bytes = 1048576' });
t.teardown(() => instance[Symbol.asyncDispose]());
const path = (...names: string[]): string => join(instance.directory, ...names);

t.test('imported mail is found at once, in its place in time, and wakes no one', async (t) => {
  const carl = await instance.addAgent('carl');
  const first = mailText({
    id: '<root@old.test>',
    subject: 'Budget',
    date: 'Thu, 1 Jan 2015 10:00:00 +0000',
    to: carl.address,
  });
  const answer = mailText({
    ...{
      subject: 'Re: Budget',
      date: 'Fri, 2 Jan 2015 10:00:00 +0000',
      from: `Carl <${carl.address}>`,
      to: 'dave@old.test',
    },
    more: ['In-Reply-To: <root@old.test>', 'References: <root@old.test>'],
  });
  const forged = mailText({
    ...{ subject: 'Zebra', date: 'Sat, 3 Jan 2035 10:00:00 +0000', to: carl.address },
    more: [
      'Authentication-Results: mx.box.test; dmarc=pass header.from=old.test',
      'Received: from a.test by b.test; Tue, 3 Mar 2015 10:00:00 +0100',
    ],
  });
  await sendMail(instance.smtpPort, { to: [carl.address], headers: { Subject: 'Newest' } });
  await eventually(async () => (await listMail(instance, carl)).length === 1);
  const events = (await instance.events()).length;
  const waiting = instance.request(carl, 'GET', `/v1/messages/wait?timeout=1&since=${new Date().toISOString()}`);
  writeFileSync(
    path('carl.mbox'),
    toMbox([answer, forged, first]).replaceAll(/^From dave.*2015$/gm, 'From - Thu Jan 01 00:00:00 1965'),
  );
  t.match(documentOf(await importInto(instance, carl, path('carl.mbox'))), { imported: 3 });
  t.match(await (await waiting).json(), { message: null });
  t.equal((await instance.events()).length, events, 'no event');

  const messages = await listMail(instance, carl);
  t.same(
    messages.map(({ subject, direction, created_at, unread }) => [subject, direction, created_at.slice(0, 10), unread]),
    [
      ['Newest', 'in', messages[0]?.created_at.slice(0, 10), true],
      ['Zebra', 'in', '2015-03-03', false],
      ['Re: Budget', 'out', '2015-01-02', false],
      ['Budget', 'in', '2015-01-01', false],
    ],
  );
  t.equal(messages[2]?.thread_id, messages[3]?.thread_id, 'a reply that stands before what it answers');
  t.match(messages[1], {
    authentication: { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none', from_domain: 'old.test' },
    spam_verdict: 'UNKNOWN',
    defects: ['imported, not verified here'],
  });
  t.match(messages[2], { status: 'sent', authentication: null, defects: ['imported, not verified here'] });
  const { threads } = await instance.client(carl).threads.list({});
  t.match(
    threads.map(({ subject, message_count }) => [subject, message_count]),
    [
      ['Newest', 1],
      ['Zebra', 1],
      ['Budget', 2],
    ],
  );
  const { hits } = await instance.client(carl).search.search({ q: 'subject:zebra' });
  t.match(hits, [{ subject: 'Zebra' }]);

  await cliJson(instance.configPath, 'agents', 'guard', 'carl');
  const reply = await instance.request(carl, 'POST', `/v1/messages/${messages[2]?.id}/reply`, { body: 'Yes.' });
  t.equal(reply.status, 202, 'a guarded agent does not answer it unseen');
});

t.test('bad files are told one by one, and the rest comes in', async (t) => {
  const fred = await instance.addAgent('fred');
  const folder = path('mixed');
  for (const name of ['inner/cur', 'inner/new', 'inner/tmp', 'inner/.Sent/cur'])
    mkdirSync(join(folder, name), { recursive: true });
  const put = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
  put('a.eml', mailText({}));
  put('b.eml', 'PK\x03\x04zipped');
  put('c.eml', '');
  put('d.eml', mailText({ body: 'x'.repeat(1024 * 1024 + 70_000) }));
  put('e.eml', `From: a@old.test\n${'X-A: b\n'.repeat(2_000)}\n`);
  put('f.eml', 'X-Note: no mail\n\nat all\n');
  put('g.eml', mailText({ id: null, body: 'without a Message-ID' }));
  put('readme', 'not mail');
  put('inner/cur/1:2,S', mailText({ from: 'nobody' }));
  put('inner/new/2', mailText({ body: `--x\n`.repeat(20_000), more: ['Content-Type: multipart/mixed; boundary=x'] }));
  put('inner/tmp/3', mailText({}));
  put('inner/cur/5:2,ST', mailText({ subject: 'in the trash' }));
  const ofThunderbird = (status: string, subject: string) =>
    mailText({ subject, more: ['X-Account-Key: account1', 'X-UIDL: 7', `X-Mozilla-Status: ${status}`] });
  put('Inbox', toMbox([ofThunderbird('0009', 'moved elsewhere'), ofThunderbird('0001', 'kept')]));
  put('inner/.Sent/cur/4', mailText({ from: `Fred <${fred.address}>` }));
  symlinkSync(path('carl.mbox'), join(folder, 'link.eml'));
  symlinkSync(instance.directory, join(folder, 'loop'));
  writeFileSync(
    path('long.mbox'),
    toMbox([mailText({ subject: 'before' }), mailText({ subject: 'huge' }), mailText({ subject: 'behind' })]),
  );
  utimesSync(join(folder, 'g.eml'), 1_400_000_000, 1_400_000_000);

  const run = await importInto(instance, fred, folder);
  t.equal(run.code, 1);
  const document = documentOf(run);
  t.match(document, { imported: 6, duplicates: 0, refused: 5, ignored_files: 3, deleted: 2, complete: true });
  const reasons = (document.refusals as { file: string; reason: string }[]).map(({ file, reason }) => [
    file.slice(folder.length + 1),
    reason.split(/[ :]/, 1)[0],
  ]);
  t.same(reasons.sort(), [
    ['b.eml', 'not_a_mail'],
    ['c.eml', 'not_a_mail'],
    ['d.eml', 'too_large'],
    ['e.eml', 'header_too_long'],
    ['f.eml', 'not_a_mail'],
  ]);
  const messages = await listMail(instance, fred);
  t.ok(
    messages.some(({ created_at }) => created_at.startsWith('2014-05-13T16:53:20')),
    'the time of the file',
  );
  t.ok(
    messages.some(({ from }) => from === 'unknown@invalid'),
    'an author without an address',
  );
  t.match(documentOf(await importInto(instance, fred, folder)), { imported: 0, duplicates: 6, refused: 5 });

  const told = await runCli(instance.configPath, 'mail', 'import', 'fred', join(folder, 'b.eml'), path('carl.mbox'));
  t.equal(told.code, 1);
  t.match(told.stdout, /this is a zip archive(.|\n)*\n3 imported, 0 skipped as duplicates, 1 refused\.\n$/);
  t.match(await runCli(instance.configPath, 'mail', 'import', 'fred', path('missing')), {
    code: 1,
    stderr: /no such file/,
  });
  t.equal((await runCli(instance.configPath, 'mail', 'import', 'fred')).code, 2);
  t.match(await runCli(instance.configPath, 'mail', 'import', 'nobody', path('missing')), { stderr: /No agent/ });
});

t.test('without the free room that SMTP wants, nothing is filed', async (t) => {
  const config = path('full.toml');
  const text = readFileSync(instance.configPath, 'utf8').replace('[smtp]', '[smtp]\nmin_free_bytes = 9000000000000000');
  writeFileSync(config, text);
  writeFileSync(path('one.eml'), mailText({}));
  const run = await runCli(config, 'mail', 'import', 'ann', path('one.eml'), '--json');
  t.match([run.code, documentOf(run)], [1, { imported: 0, complete: false, stopped: /^The disk has less than/ }]);
  t.same(await listMail(instance, instance.agents.ann), []);
});

t.test('a line of 256 MiB: the one that holds it is refused', async (t) => {
  const gina = await instance.addAgent('gina');
  const file = path('huge.mbox');
  writeFileSync(file, toMbox([mailText({ subject: 'before' }), mailText({ subject: 'huge' })]));
  const { size } = statSync(file);
  truncateSync(file, size + 256 * 1024 * 1024);
  writeFileSync(file, `\n\n${toMbox([mailText({ subject: 'behind' })])}`, { flag: 'a' });
  const run = documentOf(await importInto(instance, gina, file));
  t.match(run, { imported: 2, refused: 1, refusals: [{ number: 2, reason: /^too_large/ }] });
  t.same((await listMail(instance, gina)).map(({ subject }) => subject).sort(), ['before', 'behind']);
});
