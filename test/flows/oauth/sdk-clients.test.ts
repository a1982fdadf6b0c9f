/**
 * The official clients, from nothing but the URL: discovery, identification, approval in a real browser, token, and mail.
 * Both generations, and both ways in which a client makes itself known.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as current from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t, { type Test } from 'tap';
import { type Chromium, findBarriers, launchChromium, NARROWEST, sidewaysScroll } from '../../harness/http/chromium.ts';
import { startHttpReceiver } from '../../harness/http/http-receiver.ts';
import { HOOKS, trustReceivers } from '../../harness/http/webhooks.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { mailedLink } from '../../harness/signups.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const OWNER = 'owner@remote.test';

let chromium: Chromium;
t.before(async () => {
  chromium = await launchChromium();
});
t.teardown(() => chromium[Symbol.asyncDispose]());

/** The client's own listener, which its answer goes to. */
const startCallback = async (t: Test) => {
  const answers: URL[] = [];
  const server = createServer((request, response) => {
    answers.push(new URL(request.url ?? '/', 'http://127.0.0.1'));
    response.setHeader('content-type', 'text/html').end('<title>Done</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return { url, answer: () => eventually(async () => answers.find(({ pathname }) => pathname === '/callback')) };
};

/** What a client keeps between its visits, in the form that both generations ask for. */
const createProvider = (redirectUrl: string, clientMetadataUrl?: string) => {
  const kept: { client?: object; tokens?: object; discovery?: object; verifier: string; opened: URL | null } = {
    verifier: '',
    opened: null,
  };
  return {
    kept,
    redirectUrl,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'Desk Companion',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'state-of-the-client',
    clientInformation: () => kept.client as never,
    saveClientInformation: (client: object) => {
      kept.client = client;
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: object) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url: URL) => {
      kept.opened = url;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state: object) => {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery as never,
  };
};

/** Each client is approved on the same screens: they are examined for the first. */
let isExamined = false;

/** A person without a session is sent to the sign-in, has a link mailed, opens it in the same browser, and connects. */
const approve = async (t: Test, instance: TestInstance, url: URL, name: string): Promise<void> => {
  const { context, page, strayRequests, faults } = await chromium.open();
  await page.goto(url.href);
  await page.getByLabel('Your e-mail address').fill(OWNER);
  await page.getByRole('button', { name: 'Mail me a sign-in link' }).click();
  await page.goto(new URL(await mailedLink(instance, OWNER), instance.baseUrl).href);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: `Let “${name}” use your agents?` }).waitFor();
  if (!isExamined) t.same(await findBarriers(page), [], 'axe');
  const size = page.viewportSize();
  await page.setViewportSize(NARROWEST);
  t.equal(await sidewaysScroll(page), 0, 'no sideways scrolling at 320');
  if (size) await page.setViewportSize(size);
  await page.getByLabel('ann').check();
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.waitForURL('**/callback?*');
  await page.goto(new URL('/console/connections', instance.baseUrl).href);
  await page.getByRole('button', { name: `Cut off ${name}` }).waitFor();
  if (!isExamined) t.same(await findBarriers(page), [], 'axe, of the screen that it can be cut off on');
  isExamined = true;
  t.same([strayRequests, faults], [[], []], 'nothing of another host, nothing that the policy refused');
  await context.close();
};

type CallTool = (name: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** A mail to Bob, who answers it. */
const converse = async (t: Test, instance: TestInstance, call: CallTool): Promise<void> => {
  const { bob } = instance.agents;
  const sent = await call('send_message', { to: [bob.address], subject: 'Lunch', body: 'Is noon fine?' });
  t.match(sent, { status: 'sent' });
  const waiting = call('wait_for_reply', { message_id: sent.messageId, timeout_seconds: 40 });
  const client = instance.client(bob);
  const received = await eventually(async () => (await client.messages.list({})).messages[0]);
  await client.messages.reply({ id: received.id, body: 'It is.' });
  t.match(await waiting, { timed_out: false, message: { direction: 'in' } });
};

/** As the product prints it. */
const open = (instance: TestInstance) => new URL('/mcp?tools=core', instance.baseUrl);

t.test('the first generation, by registration', async (t) => {
  await using instance = await startInstance();
  const callback = await startCallback(t);
  const provider = createProvider(callback.url);
  const connect = async () => {
    const client = new Client({ name: 'desk', version: '1' });
    const transport = new StreamableHTTPClientTransport(open(instance), { authProvider: provider });
    return { client, transport, connecting: client.connect(transport as Parameters<typeof client.connect>[0]) };
  };
  const first = await connect();
  await t.rejects(first.connecting, { name: 'Error' });
  if (!provider.kept.opened) throw new Error('It opened no page.');
  t.equal(provider.kept.opened.searchParams.get('resource'), open(instance).href);
  await approve(t, instance, provider.kept.opened, 'Desk Companion');
  const answer = await callback.answer();
  t.equal(answer.searchParams.get('state'), 'state-of-the-client');
  await first.transport.finishAuth(answer.searchParams.get('code') ?? '');
  const { client, connecting } = await connect();
  await connecting;
  await converse(t, instance, async (name, args) => {
    const { structuredContent } = await client.callTool({ name, arguments: args });
    return structuredContent as Record<string, unknown>;
  });
  await client.close();
  t.same(instance.faults, []);
});

for (const identification of ['registration', 'a metadata document'] as const) {
  t.test(`the second generation, by ${identification}`, async (t) => {
    await using host = await startHttpReceiver(HOOKS);
    await using instance = await startInstance({ network: trustReceivers() });
    instance.dns.zone.set(HOOKS, 'A', ['127.0.0.1']);
    const callback = await startCallback(t);
    const isByDocument = identification !== 'registration';
    const clientId = `https://${HOOKS}:${host.port}/client.json`;
    host.answer((_request, response) => {
      const document = {
        ...createProvider(callback.url).clientMetadata,
        client_id: clientId,
        client_name: 'Documented',
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    });
    const provider = createProvider(callback.url, isByDocument ? clientId : undefined);
    const connect = async () => {
      const client = new current.Client({ name: 'desk', version: '2' }, { versionNegotiation: { mode: 'auto' } });
      const transport = new current.StreamableHTTPClientTransport(open(instance), { authProvider: provider });
      return { client, transport, connecting: client.connect(transport) };
    };
    const first = await connect();
    await t.rejects(first.connecting);
    if (!provider.kept.opened) throw new Error('It opened no page.');
    t.equal(provider.kept.opened.searchParams.get('client_id') === clientId, isByDocument);
    t.equal(provider.kept.opened.searchParams.get('resource'), open(instance).href);
    await approve(t, instance, provider.kept.opened, isByDocument ? 'Documented' : 'Desk Companion');
    await first.transport.finishAuth((await callback.answer()).searchParams);
    const { client, connecting } = await connect();
    await connecting;
    t.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    await converse(t, instance, async (name, args) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      return structuredContent as Record<string, unknown>;
    });
    await client.close();
    t.same(instance.faults, []);
  });
}

t.test('an answer of another issuer is not taken', async (t) => {
  await using instance = await startInstance();
  const callback = await startCallback(t);
  const provider = createProvider(callback.url);
  const client = new current.Client({ name: 'desk', version: '2' });
  const transport = new current.StreamableHTTPClientTransport(open(instance), { authProvider: provider });
  await t.rejects(client.connect(transport));
  const mixedUp = new URLSearchParams({ code: 'x', state: 'state-of-the-client', iss: 'https://evil.example' });
  await t.rejects(transport.finishAuth(mixedUp), /iss/i, 'our answers name their issuer, and the client compares');
});
