/** What a token's scopes do not reach, and what they may know of mail that is held. */

import t from 'tap';
import { contracts } from '../../../src/resources/contracts.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { answerIn, callTool, currentRequest } from '../../harness/mcp/current-request.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { beginSession, mcpRequest, toolCall } from '../../harness/mcp/mcp-request.ts';
import { connect, type Person, signIn } from '../../harness/oauth/oauth-client.ts';
import { asOperator } from '../../harness/operator.ts';

const { agents, heldMail } = contracts;
const SEND = { to: ['a@remote.test'], subject: 'Offer', body: 'An offer.' };
const capabilities = { elicitation: { url: {} } };

let instance: TestInstance;
let person: Person;
t.before(async () => {
  instance = await startInstance();
  person = await signIn(instance);
});
t.teardown(async () => {
  await instance[Symbol.asyncDispose]();
});

t.test('without the scope a call is a tool result and a resource an error, with 200, in both eras', async (t) => {
  const { accessToken: key } = await connect(instance, { person, decision: { scopes: ['mail:send'] } });
  const session = await beginSession(instance, { key });
  const uri = 'postroom://messages/01900000-0000-7000-8000-00000000abcd/raw';
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
  for (const reply of [
    await currentRequest(instance, key, 'resources/read', { uri }),
    await mcpRequest(instance, { key }, { headers: session, body }),
  ]) {
    const { status, error } = answerIn(reply);
    t.equal(status, 200);
    t.match(error, { data: { error: 'insufficient_scope', scope: 'mail:read', hint: /mail:read/ } });
  }
  for (const refused of [
    await callTool(instance, key, 'list_secrets'),
    answerIn(await mcpRequest(instance, { key }, { headers: session, body: toolCall(1, 'list_secrets') })),
  ]) {
    t.equal(refused.status, 200);
    t.equal(refused.headers['www-authenticate'], undefined);
    t.match(refused.result, { isError: true, content: [{ text: /insufficient_scope.*"scope":"vault"/ }] });
  }
  await using mcp = await connectMcp(instance, { key });
  t.match((await mcp.call('list_secrets')).refusal, { error: 'insufficient_scope', scope: 'vault', hint: /vault/ });
  const allowed = await connect(instance, { person, decision: { scopes: ['mail:read'] } });
  t.match(answerIn(await currentRequest(instance, allowed.accessToken, 'resources/read', { uri })), {
    error: { code: -32602 },
  });
});

t.test('whoever may send learns what became of its held mail, and a made-up state sends nothing', async (t) => {
  await asOperator(instance, (call) => call(agents.hold, { agent: 'ann', hold: true }));
  const { accessToken: key } = await connect(instance, { person, decision: { scopes: ['mail:send'] } });
  const { bob } = instance.agents;
  const hold = async (): Promise<string> => {
    const { result } = await callTool(instance, key, 'send_message', SEND, { capabilities });
    return String(result?.requestState);
  };
  const repeat = (requestState: unknown, by = key) =>
    callTool(instance, by, 'send_message', SEND, {
      capabilities,
      more: { requestState, inputResponses: { approval: { action: 'accept' } } },
    });
  const decide = (id: string, approve: boolean) =>
    asOperator(instance, async (call) => {
      if (approve) await call(heldMail.approve, { pending_id: id });
      else await call(heldMail.reject, { pending_id: id, note: 'No.' });
    });

  const id = await hold();
  t.match((await repeat(id)).result, { structuredContent: { status: 'held', pendingId: id } });
  for (const [state, by] of [
    [id, bob.key],
    ['zzz', key],
    ['', key],
    [{ a: 1 }, key],
    ['01900000-0000-7000-8000-00000000abcd', key],
  ] as const) {
    t.match((await repeat(state, by)).error, { code: -32602 }, JSON.stringify(state));
  }
  await decide(id, true);
  const sent = (await repeat(id)).result?.structuredContent;
  t.match(sent, { status: 'sent', messageId: /^[0-9a-f-]{36}$/ });
  const refused = await hold();
  await decide(refused, false);
  t.match((await repeat(refused)).result?.structuredContent, { status: 'rejected', reason: 'approval_rejected' });
  const suppressed = await hold();
  await instance.suppress('a@remote.test');
  await decide(suppressed, true).catch(() => undefined);
  t.match((await repeat(suppressed)).result?.structuredContent, {
    status: 'rejected',
    reason: /^recipient_suppressed/,
  });
  const reads = await connect(instance, { person, decision: { scopes: ['mail:read'] } });
  t.match((await repeat(id, reads.accessToken)).result, { isError: true, content: [{ text: /insufficient_scope/ }] });
  const all = await instance.inStore(({ read }) => read.selectFrom('pending_sends').select('id').execute());
  t.equal(all.length, 3, 'no repeat sent anything');
  t.same(instance.faults, []);
});
