/** What comes with a mail is the same in lists, in the bytes, when it is fetched and when it is passed on. */

import t from 'tap';
import { startInstance, type TestAgent, type TestInstance } from '../../harness/instance.ts';
import { eventually, plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

const post = (instance: TestInstance, agent: TestAgent, body: object) =>
  instance.request(agent, 'POST', '/v1/messages', {
    to: ['carol@remote.test'],
    subject: 'Files',
    body: 'See.',
    ...body,
  });

/** As a mail program invites: an image in the HTML, a calendar part, a text that is not UTF-8. */
const INVITATION = plainMail({
  headers: {
    Subject: 'Planning',
    Date: 'Tue, 03 Nov 2026 08:30:00 +0100',
    Cc: 'Dave <dave@remote.test>',
    'MIME-Version': '1.0',
    'Content-Type': 'multipart/mixed; boundary=m',
  },
  text: [
    '--m',
    'Content-Type: multipart/related; boundary=r',
    '',
    '--r',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Come <img src="cid:logo@remote.test" alt="Logo"></p>',
    '--r',
    'Content-Type: image/png; name=logo.png',
    'Content-ID: <logo@remote.test>',
    'Content-Disposition: inline; filename=logo.png',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '--r--',
    '--m',
    'Content-Type: text/calendar; method=REQUEST; charset=utf-8; name=invite.ics',
    'Content-Disposition: attachment; filename=invite.ics',
    '',
    'BEGIN:VCALENDAR',
    'METHOD:REQUEST',
    'END:VCALENDAR',
    '--m',
    'Content-Type: text/plain; charset="koi8-r"; name=note.txt',
    'Content-Disposition: attachment; filename=note.txt',
    'Content-Transfer-Encoding: base64',
    '',
    '8NLJ18XU',
    '--m--',
  ].join('\n'),
});

t.test('a download has the whole content type, and a forward takes it along', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const api = instance.client(ann);
  await sendMail(instance.smtpPort, { to: [ann.address], raw: INVITATION });
  const original = (await api.messages.list({})).messages[0];
  const id = original?.id ?? '';
  t.same(original?.attachments, [
    { id: 'att_1', filename: 'logo.png', contentType: 'image/png', size: 8, content_id: 'logo@remote.test' },
    { id: 'att_2', filename: 'invite.ics', contentType: 'text/calendar', size: 46, content_id: null },
    { id: 'att_3', filename: 'note.txt', contentType: 'text/plain', size: 6, content_id: null },
  ]);
  const types = {
    'logo.png': 'image/png',
    'invite.ics': 'text/calendar; method=REQUEST; charset=utf-8',
    'note.txt': 'text/plain; charset=koi8-r',
  };
  for (const [filename, contentType] of Object.entries(types)) {
    t.equal((await api.messages.attachment({ id, filename })).contentType, contentType);
  }

  const { messageId = '' } = await api.messages.forward({ id, to: ['legal@remote.test'], body: 'For you.' });
  const forwarded = await api.messages.get({ id: messageId });
  t.match(forwarded.text, /\nDate: Tue, 03 Nov 2026 07:30:00 \+0000\n/, 'the original has its own date');
  t.match(forwarded.text, /\nCc: Dave <dave@remote\.test>\n/);
  t.match(forwarded.html, /<img[^>]* src="cid:logo@remote\.test"/);
  for (const [filename, contentType] of Object.entries(types)) {
    const there = await api.messages.attachment({ id: messageId, filename });
    const here = await api.messages.attachment({ id, filename });
    t.equal(there.contentType, contentType, filename);
    t.same(Buffer.from(there.content), Buffer.from(here.content), filename);
  }
  const [received] = await instance.receiver.waitFor(1);
  const raw = received?.raw.toString() ?? '';
  t.match(raw, /^Content-Type: multipart\/related/m);
  t.match(raw, /^Content-I[dD]: <logo@remote\.test>\r$/m);
  t.same(instance.faults, []);
});

t.test('names are made safe and unique once: every one that is listed can be fetched', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const names = [
    'a.txt',
    'A.TXT',
    'a.txt',
    '../../etc/passwd',
    'C:\\temp\\b.doc',
    '=?utf-8?q?c.txt?=',
    '%41.txt',
    'x\ud800y.txt',
    `${'long '.repeat(50)}.txt`,
    '. .',
  ];
  const attachments = names.map((filename, n) => ({
    filename,
    content_base64: Buffer.from(`content ${n}`).toString('base64'),
  }));
  const response = await post(instance, ann, { to: [bob.address], attachments });
  t.equal(response.status, 200);
  const { messageId } = (await response.json()) as { messageId: string };
  const check = async (api: ReturnType<TestInstance['client']>, id: string): Promise<string[]> => {
    const listed = (await api.messages.get({ id })).attachments.map(({ filename }) => filename);
    t.equal(new Set(listed.map((name) => name.toLowerCase())).size, names.length);
    for (const [n, filename] of listed.entries()) {
      const { content } = await api.messages.attachment({ id, filename });
      t.equal(Buffer.from(content).toString(), `content ${n}`, filename);
    }
    return listed;
  };
  const sent = await check(instance.client(ann), messageId);
  const arrived = await eventually(async () => (await instance.client(bob).messages.list({})).messages[0]);
  t.same(await check(instance.client(bob), arrived.id), sent, 'the recipient sees the same names');
  t.notOk(sent.some((name) => /[/\\]/.test(name)));
});

t.test('base64 is taken in lines, and in the alphabet of URLs', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  const base64 = bytes.toString('base64');
  const written = [
    base64.replace(/.{76}/g, '$&\r\n'),
    `${base64}\n`,
    bytes.toString('base64url'),
    base64.replace(/=+$/, ''),
  ];
  for (const content_base64 of written) {
    const sent = await post(instance, ann, { attachments: [{ filename: 'a.bin', content_base64 }] });
    const { messageId: id } = (await sent.json()) as { messageId: string };
    const { content } = await instance.client(ann).messages.attachment({ id, filename: 'a.bin' });
    t.ok(Buffer.from(content).equals(bytes), content_base64.slice(0, 100));
  }
  for (const content_base64 of ['YQ=', 'YQ===', 'Y', 'YQ==YQ==', 'Y!==', `data:;base64,${base64}`, 'äÄ==']) {
    const refused = await post(instance, ann, { attachments: [{ filename: 'a.bin', content_base64 }] });
    t.match(
      await refused.json(),
      { error: 'invalid_request', hint: /is base64, without a data: prefix/ },
      content_base64,
    );
  }
  t.same(instance.faults, []);
});

t.test('a content type is one, or is refused', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const withType = (content_type: unknown) =>
    post(instance, ann, { attachments: [{ filename: 'a.bin', content_type, content_base64: 'YQ==' }] });
  const divided = ['multipart/mixed; boundary=q', ' MultiPart/x-own', 'multipart/alternative'];
  for (const bad of ['text/plain\r\nX-Evil: 1', 'text/plain;\nname=x', 'text', 'a/b; c', 'a'.repeat(256), ...divided]) {
    const response = await withType(bad);
    t.equal(response.status, 400, JSON.stringify(bad));
    t.match(await response.json(), { error: 'invalid_request', hint: /attachments\.0\.content_type/ });
  }
  for (const good of ['text/csv; charset=utf-8', '', null, undefined]) {
    t.equal((await withType(good)).status, 200, String(good));
  }
  const { messages } = await instance.client(ann).messages.list({});
  t.same(
    messages.map(({ attachments }) => attachments[0]?.contentType),
    ['application/octet-stream', 'application/octet-stream', 'application/octet-stream', 'text/csv'],
  );
});

t.test('an attached message with the line ends of a file on Unix arrives whole', async (t) => {
  await using instance = await startInstance();
  const content = Buffer.from('From: a@remote.test\nSubject: Within\n\nOne\ntwo\n').toString('base64');
  await instance.client(instance.agents.ann).messages.send({
    to: ['carol@remote.test'],
    subject: 'With a mail',
    body: 'See it.',
    attachments: [{ filename: 'within.eml', content_type: 'message/rfc822', content_base64: content }],
  });
  const [message] = await instance.receiver.waitFor(1);
  t.match(message?.raw.toString(), '\r\n\r\nFrom: a@remote.test\r\nSubject: Within\r\n\r\nOne\r\ntwo\r\n');
});
