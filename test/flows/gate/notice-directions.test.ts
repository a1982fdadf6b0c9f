/** Text of agents and outsiders turns the direction of nothing beside it: in notices, and in the brief of the knowledge. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const decoded = (raw: Buffer): string =>
  raw
    .toString('latin1')
    .replaceAll('=\r\n', '')
    .replace(/(?:=[0-9A-F]{2})+/g, (octets) => Buffer.from(octets.replaceAll('=', ''), 'hex').toString());

t.test('characters that turn the direction', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await cliJson(instance.configPath, 'agents', 'hold', 'ann');
  const send = async (subject: string, filename: string) => {
    const attachments = [{ filename, content_base64: 'YQ==' }];
    const mail = { to: ['carol@remote.test'], subject, body: 'Hi', attachments };
    t.equal((await instance.request(ann, 'POST', '/v1/messages', mail)).status, 202);
  };
  const noticeWith = (text: string) =>
    eventually(async () =>
      instance.receiver.messages
        .filter(({ rcptTo }) => rcptTo.includes('owner@remote.test'))
        .map(({ raw }) => decoded(raw))
        .find((notice) => notice.includes(text)),
    );

  await send('First \u202eyap\u202c mail', 'first.txt');
  const first = await noticeWith('first.txt');
  t.match(first, /Subject: `First yap mail`/);
  t.notMatch(first, /[\u202a-\u202e\u2066-\u2069]/, 'have no effect');
  await send('שלום pay', 'second.txt');
  t.match(await noticeWith('second.txt'), /Subject: `\u2068שלום pay\u2069`/, 'nor has a script from the right');

  await sendMail(instance.smtpPort, {
    to: ['postmaster@acme.agents.box.test'],
    headers: { Subject: 'To \u202etsop\u202c post' },
  });
  t.match(await noticeWith('To tsop post'), /^Subject: Mail to postmaster@acme\.agents\.box\.test: To tsop post/m);

  const source = { kind: 'text', title: '  The \u202eeltit\u2066  of it ', body: 'A text about otters.' };
  const added = await instance.request(ann, 'POST', '/v1/knowledge/sources', source);
  t.match(await added.json(), { title: 'The eltit of it' });
  const brief = await eventually(async () => {
    const home = (await (await instance.request(ann, 'GET', '/v1/knowledge')).json()) as { brief: string };
    return home.brief;
  });
  t.match(brief, /^The eltit of it/);
  t.same(instance.faults, []);
});
