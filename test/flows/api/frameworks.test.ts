/** The page on agent frameworks: its programs run as they stand, with a scripted model; its configs lead to the tools. */

import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { createConsumer, missingConsumer, ROOT } from '../../harness/consumer.ts';
import { type Step, startScriptedModel } from '../../harness/http/scripted-model.ts';
import { startInstance } from '../../harness/instance.ts';
import { orFew } from '../../harness/long-form.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const PAGE = readFileSync(`${ROOT}/src/docs/clients/frameworks.md`, 'utf8');
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text ?? '');

t.test('each program waits for a code and sends it on', { skip: missingConsumer }, async (t) => {
  await using instance = await startInstance();
  using consumer = createConsumer();
  const { ann, bob } = instance.agents;
  const script = (answers: readonly string[]): Step => {
    const [waited, sent] = answers;
    if (waited === undefined)
      return { tool: 'wait_for_email', args: { include: ['text', 'codes'], timeout_seconds: 20 } };
    // The marks around the text may have six digits as well.
    const code = /Your code is (\d{6})/.exec(waited)?.[1] ?? `no code in ${waited}`;
    if (sent === undefined)
      return { tool: 'send_message', args: { to: [bob.address], subject: 'The code', body: code } };
    return { say: /"status\\*":\s*\\*"sent/.test(sent) ? `Sent ${code}.` : sent };
  };
  await using model = await startScriptedModel(script);
  const env = { ...model.env, POSTROOM_URL: instance.baseUrl, POSTROOM_API_KEY: ann.key, TO: bob.address };
  const all = blocks('ts');
  t.equal(all.length, 3);
  const programs = orFew(all, all.slice(0, 1));
  for (const [at, program] of programs.entries()) {
    const code = `48291${at}`;
    await sendMail(instance.smtpPort, { to: [ann.address], text: `Your code is ${code}.` });
    consumer.write(`program${at}.ts`, program);
    model.offered = [];
    t.equal(await consumer.run(`program${at}.ts`, env), `Sent ${code}.\n`);
    t.ok(
      model.offered.some((name) => name.endsWith('find_tools')),
      'the tools are the core set',
    );
    t.notOk(model.offered.some((name) => name.endsWith('create_webhook')));
    const client = instance.client(bob);
    await eventually(async () => (await client.messages.list()).messages.length === at + 1);
  }
  const options = [
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--strict',
    '--skipLibCheck',
    '--noEmit',
  ];
  await consumer.bin('tsc', ...options, ...programs.map((_, at) => `program${at}.ts`));
  t.same(instance.faults, []);
});

/** What a config says of the server: its URL and the header that is sent. */
const serverIn = (config: unknown): { url: string; authorization: string } | null => {
  if (typeof config !== 'object' || config === null) return null;
  const {
    url,
    server_url: serverUrl,
    headers,
    authorization,
    authorization_token: token,
  } = config as Record<string, unknown>;
  if (typeof (url ?? serverUrl) !== 'string')
    return Object.values(config).reduce<ReturnType<typeof serverIn>>((found, each) => found ?? serverIn(each), null);
  const bearer = `Bearer ${authorization ?? token}`;
  return {
    url: String(url ?? serverUrl),
    authorization: (headers as { Authorization?: string })?.Authorization ?? bearer,
  };
};

t.test('each config is JSON, and leads to the core tools', async (t) => {
  await using instance = await startInstance();
  const configs = blocks('json');
  t.equal(configs.length, 5);
  for (const config of configs) {
    const server = serverIn(JSON.parse(config));
    t.match(server?.authorization, /^Bearer \$\{(?:\w+:)?POSTROOM_API_KEY\}$/);
    const url = new URL(server?.url ?? '');
    t.equal(url.origin, 'https://mx.example.com');
    const authorization = server?.authorization.replace(/\$\{.*\}/, instance.agents.ann.key) ?? '';
    const transport = new StreamableHTTPClientTransport(new URL(`${url.pathname}${url.search}`, instance.baseUrl), {
      requestInit: { headers: { authorization } },
    });
    const client = new Client({ name: 'config', version: '1' });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    t.ok(names.includes('find_tools') && !names.includes('create_webhook'));
    t.match(await client.callTool({ name: 'whoami' }), { structuredContent: { address: instance.agents.ann.address } });
    await client.close();
  }
  for (const [link] of PAGE.matchAll(/https:\/\/mx\.example\.com\/mcp\S*/g)) t.match(link, /\?tools=core/);
});
