/** From the printed link to an agent that is connected by what is copied, a mail answered and one approved. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { printedLink } from '../../harness/http/owner.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';
import { startConsole } from '../started.ts';

const run = promisify(execFile);

const started = startConsole(t, {
  publicHost: 'localhost',
  outbound: 'undo_seconds = 1',
  prepare: async (instance) => void (await instance.addWorkspace('Fresh', true)),
});

t.test('a person who never saw it is there in minutes', async (t) => {
  const { chromium, instance } = started;
  const { context, page, faults, strayRequests } = await chromium.open();
  t.teardown(() => context.close());
  const begun = Date.now();
  const steps: string[] = [];
  const done = (step: string): void => void steps.push(`${((Date.now() - begun) / 1_000).toFixed(1)} s ${step}`);

  await page.goto(started.at(await printedLink(instance)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('button', { name: /Acme/ }).first().click();
  await page.getByRole('button', { name: 'Fresh' }).first().click();
  await page.getByText('0 of 5 done').waitFor();
  done('signed in; the list of first steps is open');

  await page.getByRole('button', { name: 'Make one' }).click();
  await page.getByLabel('Handle').fill('helper');
  await page.getByRole('button', { name: 'Make agent' }).click();
  await page.getByText('1 of 5 done').waitFor();
  done('an agent is made, held as offered');

  const copied = async (tab: string): Promise<string> => {
    await page.getByRole('tab', { name: tab }).click();
    return page.getByRole('tabpanel', { name: tab }).locator('pre').last().innerText();
  };
  const curl = await copied('curl');
  const config = JSON.parse(await copied('Cursor')) as {
    mcpServers: { postroom: { url: string; headers: Record<string, string> } };
  };
  const { url, headers } = config.mcpServers.postroom;
  const client = new Client({ name: 'walk', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never);
  t.ok((await client.listTools()).tools.length > 3);
  await client.close();
  await page.getByText('helper called for the first time').waitFor();
  await page.getByText('2 of 5 done').waitFor();
  done('connected by the MCP config that was copied');

  const { stdout } = await run('bash', ['-c', curl]);
  t.match(JSON.parse(stdout), { status: 'held' }, 'the curl block sends, and a person is asked');
  await page
    .getByRole('link', { name: /Approvals/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
  await page.getByRole('button', { name: /Approve and send/ }).click();
  await eventually(async () => instance.receiver.messages.some(({ raw }) => raw.toString().includes('Subject: First')));
  done('a mail that the agent sent by the copied curl is approved, and has arrived');

  const own = instance.receiver.messages.find(({ raw }) => raw.toString().includes('Subject: First'));
  const address = /^From: .*?([\w.-]+@[\w.-]+)>?/m.exec(own?.raw.toString() ?? '')?.[1] ?? '';
  await sendMail(instance.smtpPort, { to: [address], headers: { Subject: 'Does Tuesday suit you?' } });
  await page.getByRole('link', { name: 'Mail', exact: false }).first().click();
  await page.getByRole('link', { name: /Does Tuesday suit you/ }).click();
  await page
    .getByRole('button', { name: /^Reply to / })
    .first()
    .click();
  await page.getByRole('textbox', { name: /^Text:/ }).fill('It does.');
  await page.getByRole('button', { name: 'Send', exact: false }).last().click();
  // It is held as all mail of the agent: the person approves that as well.
  await page.getByText(/Held/).first().waitFor();
  await page
    .getByRole('link', { name: /Approvals/ })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Re: Does Tuesday suit you?' }).waitFor();
  await page.getByRole('button', { name: /Approve and send/ }).click();
  await eventually(async () => instance.receiver.messages.some(({ raw }) => raw.toString().includes('It does.')));
  done('a mail is answered');
  for (const step of steps) t.comment(step);
  t.ok(Date.now() - begun < 5 * 60_000);
  t.same([faults, strayRequests, instance.faults], [[], [], []]);
});
