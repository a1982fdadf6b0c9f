import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { rounds } from '../../harness/long-form.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { beginSession, mcpRequest, messagesIn, toolCall } from '../../harness/mcp/mcp-request.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const waitingMail = async (instance: TestInstance) => {
  await using bob = await connectMcp(instance, instance.agents.bob);
  const { structured } = await bob.call('send_message', { to: [instance.agents.ann.address], subject: 'Q', body: 'x' });
  return String(structured.messageId);
};

t.test('progress is told to who asks; a call that is cancelled ends at once', async (t) => {
  await using instance = await startInstance();
  const { bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = await beginSession(instance, bob);
  const call = toolCall(7, 'wait_for_reply', { message_id }, { progressToken: 'p' });
  const underWay = Promise.withResolvers<void>();
  const waiting = mcpRequest(instance, bob, { body: call, headers: session, onReply: underWay.resolve });
  await underWay.promise;
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  t.equal((await mcpRequest(instance, bob, { body: cancel, headers: session })).status, 202);
  const messages = messagesIn(await waiting);
  t.match(messages, [
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 0 } },
    { id: 7, error: { message: /Cancelled/ } },
  ]);
  await using client = await connectMcp(instance, bob);
  const abort = new AbortController();
  const args = { name: 'wait_for_reply', arguments: { message_id } };
  const onprogress = () => abort.abort();
  await t.rejects(client.client.callTool(args, undefined, { signal: abort.signal, onprogress }), /abort/i);
  t.match((await client.call('whoami')).structured, { handle: 'bob' }, 'and the session goes on');
});

t.test('a stream that broke is resumed, and the wait on it goes on', async (t) => {
  await using instance = await startInstance();
  const { ann, bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = { ...(await beginSession(instance, bob)), 'mcp-protocol-version': '2025-11-25' };
  const url = new URL('/mcp', instance.baseUrl);
  const headers = {
    ...session,
    authorization: `Bearer ${bob.key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const hangUp = new AbortController();
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(toolCall(3, 'wait_for_reply', { message_id })),
    signal: hangUp.signal,
  });
  const reader = response.body?.getReader();
  const begun = new TextDecoder().decode((await reader?.read())?.value);
  const cursor = /^id: (.+)$/m.exec(begun)?.[1] ?? '';
  t.match(begun, /^retry: 1000$/m);
  hangUp.abort();
  await reader?.closed.catch(() => undefined);

  const [mail] = await eventually(async () => {
    const { messages } = await instance.client(ann).messages.list({});
    return messages.length > 0 && messages;
  });
  await instance.client(ann).messages.replyAll({ id: mail?.id ?? '', body: 'While you were away.' });
  await eventually(async () => (await instance.client(bob).messages.list({})).messages.length === 2);
  const held = ['cache-control', 'x-accel-buffering'].map((name) => response.headers.get(name));
  t.same(held, ['no-store, no-transform', 'no'], 'no proxy holds it');
  const resumed = await fetch(url, { headers: { ...headers, 'last-event-id': cursor } });
  const replayed = new TextDecoder().decode((await resumed.body?.getReader().read())?.value);
  t.match(replayed, /"id":3/);
  t.match(replayed, /"timed_out":false/);
  const forged = await mcpRequest(instance, bob, {
    method: 'GET',
    headers: { ...session, 'last-event-id': 'no cursor' },
  });
  t.equal(forged.status, 400);
});

const BATCHES = rounds(8, 50);

t.test('waits that nobody waits for leave nothing behind', async (t) => {
  const clock = { at: Date.now(), now: () => clock.at };
  await using instance = await startInstance({ runtime: { clock } });
  const { bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = await beginSession(instance, bob);
  const held = () => {
    const kinds = process.getActiveResourcesInfo();
    return kinds.filter((kind) => kind === 'Timeout' || kind === 'TCPSocketWrap').length;
  };
  await new Promise((resolve) => setTimeout(resolve, 200));
  const before = held();
  let id = 0;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    clock.at += 60_001;
    const calls = Array.from({ length: 20 }, () => {
      id += 1;
      return mcpRequest(instance, bob, {
        body: toolCall(id, 'wait_for_reply', { message_id }),
        headers: session,
        hangUp: true,
      });
    });
    const replies = await Promise.all(calls);
    t.ok(replies.every(({ status }) => status === 200));
    // The next twenty have a place only once these have given theirs back.
    await eventually(async () => {
      clock.at += 1_000;
      const probe = toolCall(0, 'wait_for_reply', { message_id, timeout_seconds: 0 });
      const [answer] = messagesIn(await mcpRequest(instance, bob, { body: probe, headers: session }));
      return !JSON.stringify(answer).includes('rate_limited');
    });
  }
  t.equal(id, 20 * BATCHES);
  // All twenty places of the key are free again.
  clock.at += 60_001;
  const probes = Array.from({ length: 20 }, (_, place) => {
    const body = toolCall(5_000 + place, 'wait_for_reply', { message_id, timeout_seconds: 1 });
    return mcpRequest(instance, bob, { body, headers: session });
  });
  const answers = (await Promise.all(probes)).flatMap(messagesIn);
  t.ok(answers.every((answer) => JSON.stringify(answer).includes('"timed_out":true')));
  t.equal(answers.length, 20);
  await eventually(async () => held() <= before + 2);
  t.comment(`timers and sockets: ${before} before, ${held()} after`);
  await sendMail(instance.smtpPort, { to: [bob.address] });
  t.same(instance.faults, []);
});

t.test('a stop of the daemon ends what waits', async (t) => {
  const instance = await startInstance();
  const { bob } = instance.agents;
  const message_id = await waitingMail(instance);
  const session = await beginSession(instance, bob);
  const underWay = Promise.withResolvers<void>();
  const body = toolCall(1, 'wait_for_reply', { message_id });
  const waiting = mcpRequest(instance, bob, { body, headers: session, onReply: underWay.resolve });
  await underWay.promise;
  // The call's own time is over long after the limit of a test.
  await instance[Symbol.asyncDispose]();
  t.equal((await waiting.catch(() => null))?.body ?? '', '', 'the call ends without an answer');
});

t.test('a notice of absence comes first: the answer behind it is waited for by next_since', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  await using mcp = await connectMcp(instance, ann);
  const mail = { to: ['carol@remote.test'], subject: 'Offer', body: 'Ours.' };
  const message_id = String((await mcp.call('send_message', mail)).structured.messageId);
  const [sent] = await instance.receiver.waitFor(1);
  const id = /^Message-ID: (.+)\r$/m.exec(String(sent?.raw))?.[1] ?? '';
  const answer = (headers: Record<string, string>) =>
    sendMail(instance.smtpPort, {
      to: [ann.address],
      headers: { Subject: 'Re: Offer', 'In-Reply-To': id, ...headers },
    });
  await answer({ 'Auto-Submitted': 'auto-replied' });
  const notice = await mcp.call('wait_for_reply', { message_id });
  t.match(notice.structured, { message: { automatic: true }, timed_out: false });
  const since = notice.structured.next_since;
  const none = await mcp.call('wait_for_reply', { message_id, since, timeout_seconds: 0 });
  t.match(none.structured, { message: null, timed_out: true });
  await answer({});
  t.match((await mcp.call('wait_for_reply', { message_id, since })).structured, { message: { automatic: false } });
  const early = { message_id, since: '2020-01-01T00:00:00Z' };
  t.match(
    (await mcp.call('wait_for_reply', early)).structured,
    { message: { automatic: true } },
    'none before the mail',
  );
  t.same(instance.faults, []);
});
