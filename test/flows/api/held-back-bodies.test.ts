/** A request whose body is held back is no way around what is revoked meanwhile. */

import { request } from 'node:http';
import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { OWNER, signInOwner } from '../../harness/http/owner.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { initialize, toolCall } from '../../harness/mcp/mcp-request.ts';
import { asOperator } from '../../harness/operator.ts';

const { agents, owners } = contracts;

interface HeldBack {
  finish(): Promise<{ status: number; body: string }>;
}

/**
 * Sends all but the body, and waits until it has reached the server: it has answered another request by then.
 * @param input null: the body is empty, and only its end is held back
 */
const holdBack = async (
  { baseUrl }: TestInstance,
  path: string,
  headers: Record<string, string>,
  input: object | null,
): Promise<HeldBack> => {
  const body = input === null ? '' : JSON.stringify(input);
  const form = input === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) };
  const sent = request(new URL(path, baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...form, ...headers },
  });
  const answered = new Promise<{ status: number; body: string }>((done, fail) => {
    sent.once('error', fail);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => done({ status: response.statusCode ?? 0, body: text }));
    });
  });
  sent.flushHeaders();
  for (let n = 0; n < 3; n += 1) await fetch(new URL('/healthz', baseUrl));
  return {
    finish: () => {
      sent.end(body);
      return answered;
    },
  };
};

t.test('a key that is revoked, and an agent that is suspended', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const authorization = `Bearer ${ann.key}`;
  const session = await initialize(instance, ann);
  const mcp = {
    authorization,
    accept: 'application/json, text/event-stream',
    'mcp-session-id': String(session.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-06-18',
  };
  const held = [
    await holdBack(instance, '/v1/notes', { authorization }, { body: 'Too late' }),
    await holdBack(instance, '/v1/messages', { authorization }, { to: [bob.address], subject: 'Hi', body: 'Hi' }),
    await holdBack(instance, '/mcp', mcp, toolCall(2, 'create_note', { body: 'Too late' })),
    await holdBack(instance, `/v1/domains/${instance.workspace.id}/verify`, { authorization }, null),
    await holdBack(instance, '/v1/notes', { authorization: `Bearer ${bob.key}` }, { body: 'Too late' }),
  ];
  await asOperator(instance, (call) => call(agents.remove, { agent: 'ann' }));
  await asOperator(instance, (call) => call(agents.suspend, { agent: 'bob' }));
  const answers = await Promise.all(held.map(({ finish }) => finish()));
  t.same(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 403],
  );
  t.match(answers[4]?.body, /agent_suspended/);
  t.same(await instance.inStore((store) => store.read.selectFrom('notes').select('id').execute()), []);
  t.same(instance.faults, []);
});

t.test('a session that ends, and an owner that is removed', async (t) => {
  await using instance = await startInstance();
  const guest = 'guest@remote.test';
  await asOperator(instance, (call) => call(owners.add, { email: guest, workspace: 'acme' }));
  const [mia, owner] = [await signInOwner(instance, guest), await signInOwner(instance)];
  const of = ({ cookie }: { cookie: string | null }) => ({
    cookie: String(cookie),
    'sec-fetch-site': 'same-origin',
    'x-workspace': 'acme',
  });
  const add = (browser: { cookie: string | null }, name: string) =>
    holdBack(instance, '/console/api/keys/add', of(browser), { agent: 'ann', name });
  const held = [await add(mia, 'removed'), await add(owner, 'signed out')];
  await asOperator(instance, (call) => call(owners.remove, { email: guest, workspace: 'acme' }));
  await asOperator(instance, (call) => call(owners.signOut, { email: OWNER }));
  const answers = await Promise.all(held.map(({ finish }) => finish()));
  t.same(
    answers.map(({ status }) => status),
    [401, 401],
  );
  const { keys } = await asOperator(instance, (call) => call(contracts.keys.list, { agent: 'ann' }));
  t.same(
    keys.filter(({ name }) => name === 'removed' || name === 'signed out'),
    [],
  );
  t.same(instance.faults, []);
});
