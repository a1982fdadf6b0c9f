/** Mail that would run a script: as body, subject, names and filenames, in each place where the console shows them. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { corpusPath, missingCorpora } from '../../corpus/corpora.ts';
import { launchChromium } from '../../harness/http/chromium.ts';
import { OWNER } from '../../harness/http/owner.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { goTo, settled, signInTo, step } from '../fit.ts';
import { BREAK_OUT } from './payloads.ts';

interface Payload {
  payload: string;
}

/** Beside the collection: what breaks out of an attribute, a template or a URL, and out of a line of a list. */
const OWN = [...BREAK_OUT, `\u202e<b onmouseover=window.ran=1>gnp.exe`];

const MOST_TO_A_MAIL = 40;

const line = (text: string): string => text.replace(/[\r\n\0]+/g, ' ').slice(0, 300);
const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(line(text)).toString('base64')}?=`;

const hostileMail = (to: string, payloads: readonly string[], at: number): string => {
  const [first = ''] = payloads;
  const name = line(first)
    .replace(/[^\p{L}\p{N}<>=()'"/ .:]/gu, '')
    .slice(0, 60);
  return [
    `From: ${encoded(first)} <evil${at}@evil.test>`,
    `To: ${to}`,
    `Subject: ${encoded(`${at} ${first}`)}`,
    `Message-ID: <hostile-${at}@evil.test>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(payloads.map((payload) => `<div>${payload}</div>`).join('\n'))
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
    '--b',
    'Content-Type: application/octet-stream',
    `Content-Disposition: attachment; filename="${encoded(name)}"`,
    '',
    'x',
    '--b--',
    '',
  ].join('\r\n');
};

t.test('no script of a mail runs, and nothing is loaded', { skip: missingCorpora }, async (t) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  await using instance = await startInstance({ runtime: { clock } });
  await using chromium = await launchChromium();
  const { ann } = instance.agents;
  const all = [
    ...OWN,
    ...(JSON.parse(readFileSync(corpusPath('dompurify', 'payloads.json'), 'utf8')) as Payload[]).map(
      ({ payload }) => payload,
    ),
  ];
  t.ok(all.length > 100);
  const groups = Array.from({ length: Math.ceil(all.length / MOST_TO_A_MAIL) }, (_, at) =>
    all.slice(at * MOST_TO_A_MAIL, (at + 1) * MOST_TO_A_MAIL),
  );
  const mails = [...groups, ...OWN.map((payload) => [payload])];
  for (const [at, payloads] of mails.entries()) {
    await sendMail(instance.smtpPort, {
      from: `evil${at}@evil.test`,
      to: [ann.address],
      raw: hostileMail(ann.address, payloads, at),
    });
  }
  await eventually(
    async () => (await instance.client(ann).messages.list({ limit: 100 })).messages.length === mails.length,
  );

  const visitor = await signInTo(chromium, instance, {}, 'acme');
  const { page, strayRequests, faults } = visitor;
  const ran = () => page.evaluate<unknown>('window.ran');
  page.on('dialog', (dialog) => {
    faults.push(`A dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  const at = (path: string): string => new URL(path, instance.baseUrl).href;
  await goTo(page, at('/console/agents/ann'));
  const { messages } = await instance.client(ann).messages.list({ limit: 100 });
  for (const { id, subject } of messages) {
    clock.ahead += 10_000;
    // Without a load of the page, which is most of what a mail would cost: a script that ran before shows as well.
    await step(page, `/console/agents/ann/messages/${id}`);
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${Number.parseInt(subject, 10)} `) }).waitFor();
    await page.locator('iframe').first().waitFor();
    await settled(page);
    await page.frameLocator('iframe').first().locator('body').waitFor({ state: 'attached' });
    // What a person may do with it.
    const more = page.getByLabel(/^More for the message/).first();
    await more.click();
    await page.getByRole('button', { name: 'Plain text' }).click();
    await more.click();
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    t.equal(await ran(), undefined, `message ${id}`);
  }

  // The same out of an agent's hands, held for the owner; and an agent that describes itself so.
  await asOperator(instance, (call) => call(contracts.agents.hold, { agent: 'ann' }));
  for (const payload of OWN) {
    await instance.client(ann).messages.send({
      ...{ to: ['x@remote.test'], subject: line(payload), body: payload, html: `<p>${payload}</p>` },
      attachments: [
        { filename: 'a"><img src=x onerror=window.ran=1>.txt', content_type: 'text/plain', content_base64: 'eA==' },
      ],
    });
  }
  await goTo(page, at('/console/approvals'));
  for (let nth = 0; nth < OWN.length; nth += 1) {
    await settled(page);
    await page.locator('iframe').first().waitFor();
    t.equal(await ran(), undefined, `held ${nth}`);
    if (nth < OWN.length - 1) await page.getByRole('button', { name: 'Next', exact: true }).click();
  }
  const search = page.getByRole('searchbox');
  await goTo(page, at('/console/agents/ann'));
  await search.fill('onerror');
  await settled(page);
  await goTo(page, at('/console/activity'));
  t.equal(await ran(), undefined);
  t.same(strayRequests, [], 'nothing of another host was asked for');
  t.same(faults, [], `no fault, no refusal, no dialog for ${OWNER}`);
  t.same(instance.faults, []);
});
