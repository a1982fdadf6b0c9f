/** What somebody who has just met the box stumbles on. */

import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

t.test('a wait at a disposable address is answered by what came before it, from `since` on', async (t) => {
  await using instance = await startInstance();
  await using mcp = await connectMcp(instance, instance.agents.ann);
  const since = new Date(0).toISOString();
  const { address } = (await mcp.call('create_temp_address', {})).told as { address: string };
  await sendMail(instance.smtpPort, { to: [address], headers: { Subject: 'Your code' } });
  const { told: structured } = await mcp.call('wait_for_email', { address, since, timeout_seconds: 0 });
  t.match(structured, { message: { subject: 'Your code' }, timed_out: false });
});

t.test('a tool that is called without its id says so', async (t) => {
  await using instance = await startInstance();
  await using mcp = await connectMcp(instance, instance.agents.ann);
  for (const tool of ['get_message', 'archive_message', 'wait_for_reply']) {
    const { structured, texts } = await mcp.call(tool, {});
    const said = `${JSON.stringify(structured)}${texts.join('')}`;
    t.match(said, 'invalid_request', tool);
    t.match(said, '`message_id` is missing', tool);
  }
});

t.test('a list tells what a machine sent, and what is wrong with a mail', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const to = [ann.address];
  await sendMail(instance.smtpPort, { to, headers: { Subject: 'News', Precedence: 'bulk' } });
  await sendMail(instance.smtpPort, { to, headers: { Subject: 'Letter', Date: 'some day' } });
  const { messages } = await instance.client(ann).messages.list({});
  const bySubject = Object.fromEntries(messages.map((message) => [message.subject, message]));
  t.match(bySubject.News, { automatic: true });
  t.match(bySubject.Letter, { automatic: false, defects: ['malformed Date'] });
});

t.test('who is guarded is seen', async (t) => {
  await using instance = await startInstance();
  await cliJson(instance.configPath, 'agents', 'guard', 'ann');
  t.match(await cliJson(instance.configPath, 'agents', 'show', 'ann'), { guard: true, hold: false });
});
