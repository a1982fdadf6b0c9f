/** What changes shows by itself, whatever the person does meanwhile. */

import t from 'tap';
import { sendMail } from '../harness/smtp/send-mail.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);

t.test('a look outlives a screen that is drawn anew before it is done', async (t) => {
  const { ann } = started.instance.agents;
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  await page.goto(started.at('/console/agents/ann'));
  await page.getByText('No open threads').waitFor();
  // From here no look comes by itself.
  await page.clock.pauseAt(Date.now() + 60_000);
  await sendMail(started.instance.smtpPort, { to: [ann.address], headers: { Subject: 'The delivery note' } });
  const thread = page.getByRole('navigation', { name: 'Threads' }).getByRole('link', { name: /The delivery note/ });
  t.equal(await thread.count(), 0);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await page.clock.runFor(200);
  await page.evaluate(`history.replaceState(null, '', '?anew')`);
  await page.clock.runFor(300);
  await thread.waitFor();
  t.same(faults, []);
});
