/** Approving mail of a program of the agent's: text alone, and a header that says other than the envelope. */

import { join } from 'node:path';
import t from 'tap';
import { contracts } from '../../src/resources/contracts.ts';
import { launchChromium } from '../harness/http/chromium.ts';
import { printedLink } from '../harness/http/owner.ts';
import { startInstance } from '../harness/instance.ts';
import { tlsByFiles } from '../harness/net/certificate.ts';
import { asOperator } from '../harness/operator.ts';
import { SUBMISSION, submit } from '../harness/smtp/submission.ts';
import { isFit } from './fit.ts';

t.test('text alone is shown as text, and who the header names without being written to is told', async (t) => {
  const tls = tlsByFiles(t);
  await using instance = await startInstance({ tls, toml: SUBMISSION });
  await asOperator(instance, (call) => call(contracts.agents.hold, { agent: 'ann', hold: true }));
  await submit(instance, instance.agents.ann, {
    to: 'ceo@bank.test, boss@peer.test',
    subject: `Report ${'x'.repeat(900)}`,
    text: 'Hi, all well.',
    headers: { 'Disposition-Notification-To': 'spy@evil.test' },
    envelope: { from: instance.agents.ann.address, to: ['boss@peer.test'] },
  });

  await using chromium = await launchChromium();
  const visitor = await chromium.open({ ignoreHTTPSErrors: true });
  const { page } = visitor;
  const base = instance.baseUrl.replace('http:', 'https:');
  await page.goto(base + (await printedLink(instance)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/console/');
  await page.goto(`${base}/console/approvals`);
  const message = page.getByRole('region', { name: 'The message as it will look' });
  await message.getByText('Hi, all well.').waitFor();
  t.equal(await message.locator('iframe').count(), 0, 'no empty frame of an HTML part that is not there');
  t.equal(await message.getByRole('button', { name: /HTML|Plain text|remote/ }).count(), 0, 'nor a way to it');
  t.equal(await message.locator('.callout').innerText(), 'Its header names who does not get it: ceo@bank.test');
  t.match(await message.locator('dl.headers').innerText(), /Disposition-Notification-To\s+spy@evil\.test/);
  await isFit(t, visitor, 'a submitted mail');
  if (process.env.POSTROOM_SHOTS)
    await page.screenshot({ path: join(process.env.POSTROOM_SHOTS, 'submitted.png'), fullPage: true });
  t.same(instance.faults, []);
});
