/** Told when away: the switches of You, what the service worker shows, and what it opens. */

import type { Page, Worker } from 'playwright-core';
import t from 'tap';
import { eventually } from '../../harness/smtp/send-mail.ts';
import { isFit, isSoon } from '../fit.ts';
import { startConsole } from '../started.ts';

const started = startConsole(t, { publicHost: 'localhost' });
const YOU = '/console/you';

interface Asked {
  shown: Record<string, unknown>[];
  opened: string[];
  closed: number;
}

const WRITE_DOWN = `(() => {
  self.asked = { shown: [], opened: [], closed: 0 };
  self.registration.showNotification = async (title, options) => void self.asked.shown.push({ title, ...options });
  self.clients.openWindow = async (url) => void self.asked.opened.push(url);
  self.press = (data) => void self.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
    notification: { data, close: () => void (self.asked.closed += 1) },
  }));
})()`;

const told = async (page: Page): Promise<{ mail: object; digest: { every: string; hour: number; zone: string } }> =>
  page.evaluate(`fetch('/console/api/told/get', {
    method: 'POST', body: '{}', headers: { 'content-type': 'application/json' },
  }).then((answer) => answer.json())`);

t.test('mail and digest are chosen in one table, and kept', async (t) => {
  const visitor = await started.person({ timezoneId: 'Europe/Berlin' });
  const { page } = visitor;
  await started.visit(page, YOU);
  const section = page.getByRole('region', { name: 'Told when away' });
  const held = section.getByRole('switch', { name: 'Mail waits for your decision: by mail' });
  t.equal(await held.isChecked(), true);
  await page.emulateMedia({ forcedColors: 'active' });
  const colours = await page.evaluate<string[]>(
    `['', '::after'].map((part) => getComputedStyle(document.querySelector('.switch:checked'), part).backgroundColor)`,
  );
  t.not(colours[1], colours[0], 'where it stands is seen in forced colours');
  await page.emulateMedia({ forcedColors: 'none' });
  await held.click();
  await page.getByText('It is not told by mail').waitFor();
  await isSoon(t, () => held.isChecked(), false);
  await section.getByLabel('A digest by mail').selectOption('weekly');
  await section.getByText(/Europe\/Berlin; the next one/).waitFor();
  await section.getByLabel('The digest comes at').selectOption('18');
  await eventually(async () => (await told(page)).digest.hour === 18);
  t.match(await told(page), {
    mail: { held: false, needs: true },
    digest: { every: 'weekly', hour: 18, zone: 'Europe/Berlin' },
  });
  await page.reload();
  await section.getByText(/Europe\/Berlin; the next one/).waitFor();
  t.equal(await held.isChecked(), false);
  await section.getByText('Push is off here').waitFor();
  await page.getByRole('row', { name: /Chrome on Linux.*this browser/ }).waitFor();
  await isFit(t, visitor, 'You');
});

t.test('the worker shows each push under its tag, and a press opens what it is about', async (t) => {
  const { context, page, faults } = await started.signIn();
  const { origin } = new URL(started.instance.baseUrl);
  await context.grantPermissions(['notifications'], { origin });
  await started.visit(page, YOU);
  const answer = await page.request.get(started.at('/console/worker.js'));
  t.match(answer.headers(), {
    'content-type': /javascript/,
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    'cache-control': 'no-cache',
  });
  t.notMatch(await answer.text(), /\bimport\b/, 'one file');

  const devtools = await context.newCDPSession(page);
  await devtools.send('ServiceWorker.enable');
  const registered = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  const appeared = context.waitForEvent('serviceworker');
  await page.evaluate(`navigator.serviceWorker.register('/console/worker.js', { scope: '/console/' })
    .then(() => navigator.serviceWorker.ready).then(() => true)`);
  const registrationId = await registered;
  const worker: Worker = await appeared;
  const push = (data: string) => devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  // This Chromium shows no notification and opens no window: what the worker asks it for is written down.
  await worker.evaluate(WRITE_DOWN);
  const asked = () => worker.evaluate<Asked>('self.asked');
  const say = (title: string, url: string) =>
    push(JSON.stringify({ title, body: 'To: a@b\nSubject: Offer', tag: 'held 1', url }));

  await say('A mail of ann waits for your decision', '/console/approvals/1?workspace=acme');
  await say('2 mails wait for your decision', '/console/approvals/2?workspace=acme');
  await push('no JSON');
  await push('{"title":7}');
  await eventually(async () => (await asked()).shown.length === 4);
  const body = 'To: a@b\nSubject: Offer';
  const both = { body, tag: 'held 1', renotify: true };
  t.same((await asked()).shown, [
    { title: 'A mail of ann waits for your decision', data: '/console/approvals/1?workspace=acme', ...both },
    { title: '2 mails wait for your decision', data: '/console/approvals/2?workspace=acme', ...both },
    { title: 'Postroom', body: '', tag: 'postroom', data: '', renotify: true },
    { title: 'Postroom', body: '', tag: 'postroom', data: '', renotify: true },
  ]);

  const press = (data: string) => worker.evaluate(`self.press(${JSON.stringify(data)})`);
  await press('/console/approvals/2?workspace=acme');
  await press('https://evil.test/console/');
  await press('/v1/messages');
  await eventually(async () => (await asked()).opened.length === 3);
  t.same(await asked(), {
    ...(await asked()),
    closed: 3,
    opened: [`${origin}/console/approvals/2?workspace=acme`, `${origin}/console/`, `${origin}/console/`],
  });
  t.same(faults, []);
  await context.close();
});

t.test('a browser that may not show notifications says so in a sentence', async (t) => {
  const { page } = await started.person();
  await started.go(page, YOU);
  const section = page.getByRole('region', { name: 'Told when away' });
  await section.getByText('Push is off here').waitFor();
  await section.getByText('This browser refuses notifications of this site').waitFor();
  t.equal(
    await section
      .getByRole('switch', { name: 'Mail waits for your decision: push here' })
      .getAttribute('aria-disabled'),
    'true',
  );
});

t.test('a browser without push is told how an iPhone has it', async (t) => {
  const { context, page } = await started.person();
  await context.addInitScript('delete window.PushManager');
  await started.visit(page, YOU);
  await page.getByText('On an iPhone or iPad, add a passkey, add this page to the home screen').waitFor();
  t.same(started.instance.faults, []);
});
