/** Messages with hundreds of recipients each: a page of them ends by its size, and its cursor gives the rest. */

import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { plainMail, sendMail } from '../../harness/smtp/send-mail.ts';

const MAILS = 14;
const RECIPIENTS_OF_EACH = 550;
/** One more would be past the million characters of a page. */
const PAGE = 8;

const RECIPIENTS = Array.from({ length: RECIPIENTS_OF_EACH }, (_, at) => `${'n'.repeat(200)} <a${at}@b.test>`).join(
  ',\r\n ',
);

interface Page {
  messages: { id: string; thread_id: string; to: string[] }[];
  next_cursor: string | null;
}

t.test('lists and threads of messages with many recipients', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  for (let at = 0; at < MAILS; at += 1) {
    const ids = at === 0 ? { 'Message-ID': '<first@remote.test>' } : { 'In-Reply-To': '<first@remote.test>' };
    const raw = plainMail({ headers: { To: RECIPIENTS, From: 'Carol <carol@remote.test>', ...ids } });
    await sendMail(instance.smtpPort, { to: [ann.address], raw });
  }
  const get = async (path: string): Promise<Page> => (await (await instance.request(ann, 'GET', path)).json()) as Page;

  const [first] = (await get('/v1/messages?limit=1')).messages;
  for (const path of [
    '/v1/messages?limit=100',
    '/v1/messages?limit=100&from=carol',
    `/v1/threads/${first?.thread_id}?`,
  ]) {
    const page = await get(path);
    t.equal(page.messages.length, PAGE, `${path}: the page has a size`);
    t.ok(page.messages.every(({ to }) => to.length === RECIPIENTS_OF_EACH));
    const rest = await get(`${path}&cursor=${encodeURIComponent(page.next_cursor ?? '')}`);
    t.equal(rest.next_cursor, null);
    const ids = new Set([...page.messages, ...rest.messages].map(({ id }) => id));
    t.equal(ids.size, MAILS, 'and its cursor gives the rest');
  }
  const few = await get('/v1/messages?limit=13&from=@remote.test');
  t.equal(few.messages.length, PAGE);
  t.same(instance.faults, []);
});
