/** Threads that are archived or read: which comes next, and which marks go. */

import t from 'tap';
import { sendMail } from '../harness/smtp/send-mail.ts';
import { A_LOOK, heading, withhold } from './fit.ts';
import { startConsole } from './started.ts';

const started = startConsole(t);
const { at } = started;

t.test('what is archived or read leaves no gap for the keys, and no mark that is old', async (t) => {
  const { instance } = started;
  const { bob } = instance.agents;
  for (const Subject of ['One', 'Two', 'Three', 'Four']) {
    await sendMail(instance.smtpPort, { to: [bob.address], headers: { Subject } });
  }
  const { context, page, faults } = await started.signIn();
  t.teardown(() => context.close());
  await page.clock.install();
  await page.goto(at('/console/agents/bob'));
  const threads = page.getByRole('navigation', { name: 'Threads' });
  await threads.getByRole('link', { name: /Three/ }).click();
  await heading(page, 'Three').waitFor();
  await page.keyboard.press('e');
  await page.getByRole('status').getByText('Archived').waitFor();
  await threads.getByRole('link', { name: /Three/ }).waitFor({ state: 'detached' });
  await heading(page, 'Two').waitFor();

  const answer = await withhold(page, 'mail/thread');
  await page.keyboard.press('j');
  await page.waitForURL((url) => /threads/.test(url.pathname));
  await page.keyboard.press('e');
  await answer();
  await heading(page, 'One').waitFor();
  const client = instance.client(bob);
  const { messages } = await client.messages.list({});
  t.match(
    messages.find(({ subject }) => subject === 'One'),
    { archived: false },
    'not before it is shown',
  );

  const four = threads.getByRole('link', { name: /1 unread.*Four/ });
  await four.waitFor();
  const fourth = messages.find(({ subject }) => subject === 'Four');
  await client.messages.get({ id: String(fourth?.id) });
  await page.clock.fastForward(A_LOOK);
  await four.waitFor({ state: 'detached' });
  t.same(faults, []);
});
