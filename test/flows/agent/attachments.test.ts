import { strToU8, zipSync } from 'fflate';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

const DOCX = zipSync({ 'word/document.xml': strToU8('<w:p><w:r><w:t>The rent is due.</w:t></w:r></w:p>') });

/** A mail with these files, from an outsider. */
const mailWith = (files: Record<string, string>) => ({
  headers: { Subject: 'Files', 'Content-Type': 'multipart/mixed; boundary=b' },
  text: [
    '--b\nContent-Type: text/plain\n\nSee the files.',
    ...Object.entries(files).map(
      ([name, content]) =>
        `--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="${name}"\n\n${content}`,
    ),
    '--b--',
  ].join('\n'),
});

/** A page with a line on it, and no word. */
const SCAN = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<<>>>>endobj
4 0 obj<</Length 26>>stream
1 0 0 RG 10 10 m 90 90 l S
endstream endobj
trailer<</Root 1 0 R>>
`;

t.test('an attachment as text: fenced over MCP, as JSON over REST, in pages', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const files = {
    'rent.docx': base64(DOCX),
    'notes.txt': base64('line\n'.repeat(5_000)),
    'scan.pdf': base64(SCAN),
    'dot.png': base64('\x89PNG\0\0'),
    // The id of another.
    att_2: base64('Pay to XX99.'),
  };
  await sendMail(instance.smtpPort, { to: [ann.address], ...mailWith(files) });
  const { messages } = instance.client(ann);
  const message_id = (await messages.list({})).messages[0]?.id ?? '';
  await using mcp = await connectMcp(instance, ann);

  const rent = await mcp.call('get_attachment', { message_id, filename: 'rent.docx', as: 'text' });
  t.match(rent.structured, { size: DOCX.length, text: null, next_offset: null, truncated: false });
  t.match(rent.told, { text: 'The rent is due.', filename: 'rent.docx' });
  t.notMatch(rent.texts[0], /rent/, 'nothing of it stands in the trusted part');
  t.match(rent.texts[1], /Written by an outside sender/);
  const first = await mcp.call('get_attachment', { message_id, filename: 'att_2' });
  t.match(first.structured, { text_chars: 25_000, next_offset: 8_000 });
  const scan = await mcp.call('get_attachment', { message_id, filename: 'scan.pdf' });
  t.match(scan.refusal, { error: 'attachment_not_text', hint: /a scan/ }, 'an empty text would be a blank page');
  const picture = await mcp.call('get_attachment', { message_id, filename: 'dot.png' });
  t.match(picture.refusal, { error: 'attachment_not_text', hint: /For a program, as=base64/ });

  const path = `/v1/messages/${message_id}/attachments/notes.txt`;
  const page = await instance.request(ann, 'GET', `${path}?as=text&max_chars=10&offset=24995`);
  t.equal(page.status, 200);
  t.same(await page.json(), {
    ...{ filename: 'notes.txt', content_type: 'application/octet-stream', size: 25_000, text: 'line\n' },
    ...{ text_chars: 25_000, next_offset: null, truncated: false },
  });
  const bytes = await instance.request(ann, 'GET', path);
  t.match(bytes.headers.get('content-type'), /octet-stream/);
  t.equal((await bytes.text()).length, 25_000);
  t.same(instance.faults, []);
});

t.test('attachments are sent on without their bytes, from mail that the caller may read', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  await sendMail(instance.smtpPort, {
    to: [ann.address],
    ...mailWith({ 'a.txt': base64('one'), 'b.txt': base64('two') }),
  });
  const client = instance.client(ann);
  const id = (await client.messages.list({})).messages[0]?.id ?? '';
  const to = [bob.address];
  const mine = [
    { from_message_id: id, filename: 'a.txt' },
    { filename: 'c.txt', content_base64: base64('three') },
    { from_message_id: id, filename: 'att_2' },
  ];
  const namesAt = async (subject: string) => {
    const found = await eventually(async () => {
      const { messages } = await instance.client(bob).messages.list({});
      return messages.find((message) => message.subject === subject);
    });
    const names = found?.attachments.map(({ filename }) => filename) ?? [];
    const contents = await Promise.all(
      names.map(async (filename) => {
        const { content } = await instance.client(bob).messages.attachment({ id: found?.id ?? '', filename });
        return Buffer.from(content).toString();
      }),
    );
    return names.map((name, at) => `${name}=${contents[at]}`);
  };
  const post = async (path: string, body: object) => {
    const response = await instance.request(ann, 'POST', path, body);
    return [response.status, (await response.json()) as Record<string, unknown>] as const;
  };

  t.match(await post('/v1/messages', { to, subject: 'New', body: 'x', attachments: mine }), [200, { status: 'sent' }]);
  t.same(await namesAt('New'), ['a.txt=one', 'c.txt=three', 'b.txt=two']);
  await post(`/v1/messages/${id}/forward`, {
    to,
    attachments: [{ filename: 'd.txt', content_base64: base64('four') }],
  });
  t.same(await namesAt('Fwd: Files'), ['a.txt=one', 'b.txt=two', 'd.txt=four']);
  const dry = await post(`/v1/messages/${id}/reply`, { body: 'x', dry_run: true, attachments: mine });
  t.match(dry, [200, { outcome: 'sent' }]);

  const [first] = mine;
  t.match(await post('/v1/messages', { to, subject: 'S', body: 'x', attachments: [{ ...first, filename: 'no' }] }), [
    404,
    { error: 'attachment_not_found', attachments: ['a.txt', 'b.txt'] },
  ]);
  t.match(await post('/v1/messages', { to, subject: 'S', body: 'x', attachments: [{ filename: 'a.txt' }] }), [
    400,
    { error: 'invalid_request', hint: /attachments\.0.*content_base64.*from_message_id/ },
  ]);
  t.match(
    await post('/v1/messages', { to, subject: 'S', body: 'x', attachments: [{ ...first, content_base64: 'YQ==' }] }),
    [400, { error: 'invalid_request' }],
  );
  const others = await instance.request(bob, 'POST', '/v1/messages', {
    to,
    subject: 'S',
    body: 'x',
    attachments: [first],
  });
  t.match([others.status, await others.json()], [404, { error: 'message_not_found' }]);
  t.same(instance.faults, []);
});
