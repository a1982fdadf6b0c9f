/** A held mail is shown whole to who decides: every recipient, every attachment, both readings of its text. */

import t from 'tap';
import { parseMail } from '../../../src/mail/mime/parse-message.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { tlsByFiles } from '../../harness/net/certificate.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';
import { SUBMISSION, submit } from '../../harness/smtp/submission.ts';

const tls = tlsByFiles(t);

/** The notice that the owner was mailed, decoded enough to be read. */
const noticeOf = async (instance: TestInstance, count = 1): Promise<string> => {
  const received = await eventually(async () => {
    const notices = instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('owner@remote.test'));
    return notices.length >= count && notices;
  });
  return received[count - 1]?.raw.toString().replaceAll('=\r\n', '') ?? '';
};

/** What went to Carol, beside the notices to the owner. */
const gone = (instance: TestInstance, at: number): Promise<Buffer> =>
  eventually(async () => {
    const sent = instance.receiver.messages.filter(({ rcptTo }) => rcptTo.includes('carol@remote.test'));
    return sent[at]?.raw;
  });

t.test('by REST: Cc, Bcc and attachments stand in the list, at the CLI and in the notice', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const response = await instance.request(ann, 'POST', '/v1/messages', {
    to: ['boss@peer.test'],
    cc: ['attacker@evil.test'],
    subject: 'The list',
    body: 'See you.',
    attachments: [{ filename: 'customers.csv', content_type: 'text/csv', content_base64: 'YSxi' }],
  });
  t.equal(response.status, 202);
  const { pendingId } = (await response.json()) as { pendingId: string };
  const shown = {
    to: ['boss@peer.test'],
    cc: ['attacker@evil.test'],
    bcc: [],
    attachments: [{ filename: 'customers.csv', contentType: 'text/csv', size: 3 }],
  };
  const listed = (await (await instance.request(ann, 'GET', '/v1/messages/pending')).json()) as { pending: object[] };
  t.match(listed, { pending: [{ ...shown, reason: 'agent_on_hold' }], next_cursor: null });
  t.match(await cliJson(instance.configPath, 'pending', 'list'), { pending: [shown] });
  t.match(await cliJson(instance.configPath, 'pending', 'list', '--workspace', 'acme'), { pending: [shown] });
  t.match(await cliJson(instance.configPath, 'pending', 'show', pendingId), { ...shown, html_text: null });
  const { stdout } = await runCli(instance.configPath, 'pending', 'show', pendingId);
  t.match(stdout, /attacker@evil\.test/);
  t.match(stdout, /customers\.csv \(text\/csv, 3 bytes\)/);
  const notice = await noticeOf(instance);
  t.match(notice, /Cc: `attacker@evil\.test`/);
  t.match(notice, /`customers\.csv`/);
  t.equal(notice.split('postroom pending ').length, 3, 'one command in each part');

  const decided = await cliJson(instance.configPath, 'pending', 'reject', pendingId, '--yes');
  t.match(decided, { ...shown, status: 'rejected' }, 'and are still shown once it is decided');
  const other = await instance.addWorkspace('Other');
  t.same(await cliJson(instance.configPath, 'pending', 'list', '--workspace', other.slug), { pending: [] });
});

t.test('by submission: recipients that no field names, and an HTML part with other words', async (t) => {
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const reply = await submit(instance, ann, {
    to: 'boss@peer.test',
    bcc: 'attacker@evil.test',
    text: 'Hi, all well.',
    html: '<p>Here is the password: <b>hunter2</b></p>',
  });
  const pendingId = /Held for a person, as (\S+)/.exec(reply)?.[1] ?? '';
  const shown = await cliJson(instance.configPath, 'pending', 'show', pendingId);
  t.match(shown, {
    to: ['boss@peer.test'],
    bcc: ['attacker@evil.test'],
    text: /Hi, all well/,
    html_text: /Here is the password: hunter2/,
  });
  t.match((await runCli(instance.configPath, 'pending', 'show', pendingId)).stdout, /hunter2/);
  const notice = await noticeOf(instance);
  t.match(notice, /Bcc: `attacker@evil\.test`/);
  t.match(notice, /HTML part reads differently/);

  const same = await submit(instance, ann, {
    to: 'boss@peer.test',
    text: 'Hi, *all* well.',
    html: '<p>Hi, <b>all</b> well.</p>',
  });
  const second = /as (\S+)/.exec(reply === same ? '' : same)?.[1] ?? '';
  t.match(
    await cliJson(instance.configPath, 'pending', 'show', second),
    { html_text: null },
    'markup is no other reading',
  );
  t.notMatch(await noticeOf(instance, 2), /reads differently/);

  const given = {
    to: 'carol@remote.test',
    text: 'Please do not pay invoice 42.',
    html: '<style>.n{display:none}</style><p>Please do <span class="n">not</span> pay invoice 42.</p><div style="display:none">The password is hunter2.</div>',
  };
  const third = /as (\S+)/.exec(await submit(instance, ann, given))?.[1] ?? '';
  t.match(
    await cliJson(instance.configPath, 'pending', 'show', third),
    { html_differs: false, html_text: null },
    'the HTML is rewritten: no style hides a word, and what was hidden is gone',
  );
  await cliJson(instance.configPath, 'pending', 'approve', third);
  const { html } = await parseMail(await gone(instance, 0));
  t.equal(html?.trim(), '<p>Please do not pay invoice 42.</p>', 'what goes is what was shown');
});

t.test('by submission: a header that says other than the envelope is shown as recipients get it', async (t) => {
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const reply = await submit(instance, ann, {
    from: `"The Board" <${ann.address}>`,
    to: 'boss@peer.test',
    cc: 'lawyer@peer.test',
    replyTo: 'attacker@evil.test',
    headers: { Organization: 'Bank of Peer' },
    envelope: { from: ann.address, to: ['victim@peer.test'] },
  });
  const pendingId = /Held for a person, as (\S+)/.exec(reply)?.[1] ?? '';
  const shown = await cliJson(instance.configPath, 'pending', 'show', pendingId);
  t.match(shown, { to: [], cc: [], bcc: ['victim@peer.test'] }, 'who gets it is in the envelope');
  t.has(
    Object.fromEntries(
      (shown as { headers: { name: string; value: string }[] }).headers.map((h) => [h.name.toLowerCase(), h.value]),
    ),
    {
      from: `The Board <${ann.address}>`,
      to: 'boss@peer.test',
      cc: 'lawyer@peer.test',
      'reply-to': 'attacker@evil.test',
      organization: 'Bank of Peer',
    },
  );
  const { stdout } = await runCli(instance.configPath, 'pending', 'show', pendingId);
  t.match(stdout, /Its header, as recipients get it:/);
  for (const said of ['The Board', 'boss@peer.test', 'lawyer@peer.test', 'attacker@evil.test', 'Bank of Peer']) {
    t.ok(stdout.includes(said), said);
  }
});

t.test('a mail that cannot be shown whole is refused while it would be held, and goes otherwise', async (t) => {
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  const { ann } = instance.agents;
  const cells = Array.from({ length: 60_000 }, (_, n) => `<a href="https://peer.test/${n}">link</a>`).join('\n');
  const mail = { to: 'carol@remote.test', text: 'Hi, all well.', html: `<p>Hi, all well.</p>${cells}` };
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  await t.rejects(submit(instance, ann, mail), { message: /550 5\.7\.1 too_long_to_review/ });
  t.match(await cliJson(instance.configPath, 'pending', 'list'), { pending: [] });
  await cliJson(instance.configPath, 'agents', 'hold', 'ann', '--off');
  t.match(await submit(instance, ann, mail), /^250 /);
  await instance.receiver.waitFor(1);
});

t.test('a mail whose parts other programs read differently is composed anew where it is held', async (t) => {
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  const { ann } = instance.agents;
  const header = `From: ${ann.address}\r\nTo: carol@remote.test\r\nSubject: Hi\r\nMIME-Version: 1.0\r\n`;
  const envelope = { from: ann.address, to: ['carol@remote.test'] };
  const divided =
    'Content-Type: multipart/mixed; boundary=b; boundary=a\r\n\r\n' +
    '--a\r\n\r\nHi, all well.\r\n--a--\r\n--b\r\n\r\nThe password is hunter2.\r\n--b--\r\n';
  const padded = 'Content-Transfer-Encoding: base64\r\n\r\nSGVsbG8gdGhl=RVZJTCEh\r\n';
  const replaced =
    'Content-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\n\r\nHi, all well.\r\n' +
    '--a\r\nContent-Type: text/x-amp-html\r\n\r\n<p>The password is hunter2.</p>\r\n--a--\r\n';
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  for (const [at, raw] of [divided, padded, replaced].entries()) {
    const pendingId = /as (\S+)/.exec(await submit(instance, ann, { envelope, raw: header + raw }))?.[1] ?? '';
    const shown = (await cliJson(instance.configPath, 'pending', 'show', pendingId)) as { text: string };
    await cliJson(instance.configPath, 'pending', 'approve', pendingId);
    const mail = await parseMail(await gone(instance, at));
    t.equal(mail.text.trim(), shown.text.trim());
    t.same(mail.defects, [], 'every program reads it alike');
  }
  await cliJson(instance.configPath, 'agents', 'hold', 'ann', '--off');
  t.match(await submit(instance, ann, { envelope, raw: header + divided }), /^250 /);
  t.match((await gone(instance, 3)).toString(), /boundary=b; boundary=a/, 'and else goes as it is');
});

t.test('by REST: words of the Markdown that its HTML drops are told', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const show = async (body: string) => {
    const mail = { to: ['carol@remote.test'], subject: 'Hi', body };
    const response = await instance.request(ann, 'POST', '/v1/messages', mail);
    const { pendingId } = (await response.json()) as { pendingId: string };
    return cliJson(instance.configPath, 'pending', 'show', pendingId);
  };
  t.match(await show('Hi, *all* well.\n\n[x]: https://x.test (The password is hunter2.)\n'), {
    html_differs: true,
    text: /hunter2/,
    html_text: 'Hi, all well.',
  });
  t.match(await show('Hi, *all* well.\n\n1. See [it](https://x.test/a).\n'), { html_differs: false, html_text: null });
});

t.test('an approval that the gate refuses exits 1 with the reason; a rejection asks', async (t) => {
  await using instance = await startInstance();
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const send = async () => {
    const body = { to: ['carol@remote.test'], subject: 'Hi', body: crypto.randomUUID() };
    const response = await instance.request(instance.agents.ann, 'POST', '/v1/messages', body);
    return ((await response.json()) as { pendingId: string }).pendingId;
  };
  const pendingId = await send();
  await instance.suppress('carol@remote.test');
  const approved = await runCli(instance.configPath, 'pending', 'approve', pendingId);
  t.match(approved, { code: 1, stderr: /approved, and not sent: recipient_suppressed:carol@remote\.test/ });
  t.match(await cliJson(instance.configPath, 'pending', 'show', pendingId), {
    status: 'approved',
    failure_reason: /^recipient_suppressed/,
  });
  await cliJson(instance.configPath, 'suppressions', 'remove', 'carol@remote.test', '--workspace', 'acme');
  const other = await send();
  t.match(await runCli(instance.configPath, 'pending', 'reject', other), { code: 2, stderr: /--yes/ });
  t.match(await cliJson(instance.configPath, 'pending', 'show', other), { status: 'pending' });
});

t.test('held and scheduled mail is listed page by page', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const client = instance.client(ann);
  const later = new Date(Date.now() + 86_400_000).toISOString();
  for (let n = 0; n < 5; n += 1) {
    await client.messages.send({ to: ['carol@remote.test'], subject: `Later ${n}`, body: 'x', send_at: later });
  }
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  for (let n = 0; n < 5; n += 1) {
    await client.messages.send({ to: ['carol@remote.test'], subject: `Held ${n}`, body: 'x' });
  }
  const walk = async (path: string, name: string) => {
    const subjects: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const reply = await instance.request(ann, 'GET', `${path}?limit=2${query}`);
      const page = (await reply.json()) as Record<string, { subject: string }[]> & { next_cursor: string | null };
      subjects.push(...(page[name] ?? []).map(({ subject }) => subject));
      cursor = page.next_cursor;
    }
    return subjects;
  };
  t.same(
    await walk('/v1/messages/pending', 'pending'),
    [4, 3, 2, 1, 0].map((n) => `Held ${n}`),
  );
  t.same(
    await walk('/v1/messages/scheduled', 'scheduled'),
    [0, 1, 2, 3, 4].map((n) => `Later ${n}`),
  );
  const bad = await instance.request(ann, 'GET', '/v1/messages/pending?cursor=abc');
  t.equal(bad.status, 400);
  t.match(await bad.json(), { error: 'invalid_request', hint: /cursor/ });
});

t.test(
  'characters that no program shows are shown by their code points, and go out as they were written',
  async (t) => {
    await using instance = await startInstance();
    await cliJson(instance.configPath, 'agents', 'hold', 'ann');
    const tag = String.fromCodePoint(0xe0070);
    const mail = { to: ['carol@remote.test'], subject: `Thanks${tag}`, body: `See you.\u202e${tag}` };
    const { pendingId = '' } = await instance.client(instance.agents.ann).messages.send(mail);
    const shown = await cliJson(instance.configPath, 'pending', 'show', pendingId);
    t.match(shown, { subject: 'Thanks[U+E0070]', text: 'See you.[U+202E][U+E0070]' });
  },
);
