/** The Instance screen of several boxes on one database. */

import { hostname } from 'node:os';
import t from 'tap';
import { launchChromium } from '../harness/http/chromium.ts';
import { startPostgres } from '../harness/postgres/postgres-server.ts';
import { joinBox } from '../harness/postgres/second-box.ts';
import { spawnDaemon, startProcessBox } from '../harness/process.ts';
import { eventually } from '../harness/smtp/send-mail.ts';
import { settled, signInTo } from './fit.ts';

t.test('the boxes are shown, and the one that leads hands over', async (t) => {
  await using server = await startPostgres();
  await using chromium = await launchChromium();
  await using first = await startProcessBox({ storageUrl: server.url });
  const { instance } = first;
  const other = await joinBox(instance);
  const second = spawnDaemon(other.path);
  t.teardown(() => second.end('SIGKILL'));
  await second.ready;

  const { page, faults } = await signInTo(chromium, instance, {}, 'acme');
  await page.goto(new URL('/console/instance', instance.baseUrl).href);
  await settled(page);
  const boxes = page.getByRole('region', { name: 'Boxes' });
  await boxes.getByText('serving').waitFor();
  t.match(await boxes.locator('tbody tr').allInnerTexts(), [/leading/, /serving/]);
  await page.getByText('pg_dump or your provider backs it up').waitFor();
  t.equal(await page.getByRole('button', { name: 'Back up now' }).count(), 0);
  await boxes.getByRole('button', { name: 'Hand over' }).click();
  const dialog = page.getByRole('dialog', { name: `Hand over from ${hostname()}?` });
  await dialog.getByRole('button', { name: 'Hand over' }).click();
  t.same(await first.daemon.ended, { code: 1, signal: null });
  await eventually(async () => second.output().includes('"msg":"this box leads"'));
  t.same(faults, []);
});
