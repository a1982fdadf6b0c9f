/** What an agent pays for its mail and its tools. A token is four characters, near enough. */

import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp, tokensOf } from '../../harness/mcp/mcp-client.ts';
import { fillMailbox, TEXT } from '../../harness/mcp/sample-mail.ts';
import { htmlMail, receive } from '../../harness/smtp/seen-mail.ts';

/** Of the core set, with room for what is added to it. */
const MAX_CORE_TOKENS = 2_500;

t.test('mail: a list, one message, a search, a thread', async (t) => {
  await using instance = await startInstance();
  await using ann = await connectMcp(instance, instance.agents.ann);
  await fillMailbox(instance, 20);
  const list = await ann.call('list_messages', { limit: 20 });
  const [first] = list.structured.messages as { id: string; thread_id: string }[];
  const mail = await ann.call('get_message', { message_id: first?.id });
  const found = await ann.call('search_messages', { q: 'invoice', limit: 10 });
  t.equal((found.structured.hits as unknown[]).length, 10);
  for (let index = 0; index < 5; index += 1)
    t.match((await ann.call('reply_to_message', { message_id: first?.id, body: TEXT })).structured, { status: 'sent' });
  const thread = await ann.call('get_thread', { thread_id: first?.thread_id, include: 'text' });
  t.equal((thread.told.messages as { text: string }[]).filter(({ text }) => text.includes('1 240 EUR')).length, 6);
  for (const [what, answer, most] of [
    ['a list of 20', list, 1_500],
    ['an ordinary mail', mail, 250],
    ['a search of ten hits', found, 700],
    ['a thread of six', thread, 1_500],
  ] as const) {
    t.comment(`${what}: ${tokensOf(answer)} tokens`);
    t.ok(tokensOf(answer) < most, `${what}: ${tokensOf(answer)} of ${most}`);
  }
});

t.test('a newsletter of a hundred long links: those of the shown page, twenty at most', async (t) => {
  await using instance = await startInstance();
  await using ann = await connectMcp(instance, instance.agents.ann);
  const links = Array.from({ length: 100 }, (_, index) => {
    const url = `https://click.remote.test/${'t'.repeat(200)}/${index + 1}`;
    return `<p>${'Words of an offer. '.repeat(20)}<a href="${url}">Offer ${index + 1}</a></p>`;
  });
  const confirm = `<a href="https://remote.test/confirm/${'c'.repeat(100)}">Confirm your address</a>`;
  const { id } = await receive(instance, htmlMail(`${links.join('\n')}<p>${confirm}</p>`));
  type Told = { text: string; links: { number: number; url: string }[]; links_more?: number; next_offset: number };
  const read = async (args: object) =>
    (await ann.call('get_message', { message_id: id, ...args })).told as unknown as Told;
  const first = await read({});
  t.equal(first.links.length, 20);
  t.match(first.links[0], { number: 101, url: /confirm/, flags: 'action' });
  t.match(first.links[1], { number: 1 });
  t.equal(first.links_more, (first.text.match(/\[\d+\]/g)?.length ?? 0) + 1 - 20);
  const short = await read({ offset: first.next_offset, max_chars: 2_000 });
  const named = [...short.text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
  t.same(
    short.links.slice(1).map(({ number }) => number),
    named,
  );
  t.equal((await read({ detail: true })).links.length, 101);
  const thread = await ann.call('get_thread', {
    thread_id: (first as unknown as { thread_id: string }).thread_id,
    include: 'text',
  });
  t.match(thread.told.messages, [{ links: { length: 20 }, links_more: Number }]);
});

t.test('the core set of tools, and what finds the others', async (t) => {
  await using instance = await startInstance();
  await using ann = await connectMcp(instance, instance.agents.ann, '?tools=core');
  const { tools } = await ann.client.listTools();
  const tokens = Math.ceil(JSON.stringify(tools).length / 4);
  t.comment(`core: ${tools.length} tools, ${tokens} tokens`);
  t.ok(tokens < MAX_CORE_TOKENS, `${tokens}`);
  const names = tools.map(({ name }) => name);
  for (const name of ['whoami', 'get_thread', 'send_message', 'reply_all_to_message', 'search_knowledge', 'find_tools'])
    t.ok(names.includes(name), name);
  const saying = tools.flatMap(({ name, inputSchema: { properties = {} } }) => {
    const { undo_seconds: undo } = properties as Record<string, { description?: string }>;
    return undo?.description === undefined ? [] : [name];
  });
  t.same(saying, ['send_message'], 'the same words about an argument stand once');
  const read = tools.find(({ name }) => name === 'get_message');
  t.match(read?.inputSchema.properties, { part: { description: /without quotes/ } });
  t.notOk(names.includes('create_webhook'));
  const changed = Promise.withResolvers<void>();
  ann.client.fallbackNotificationHandler = async ({ method }) => {
    if (method === 'notifications/tools/list_changed') changed.resolve();
  };
  const { structured } = await ann.call('find_tools', { need: 'have a webhook called for each mail' });
  t.ok((structured.tools as { name: string }[]).some(({ name }) => name === 'create_webhook'));
  await changed.promise;
  t.ok((await ann.client.listTools()).tools.some(({ name }) => name === 'create_webhook'));
  t.match((await ann.call('list_webhooks')).structured, { webhooks: [] }, 'one that is not listed is called as well');
  t.match((await ann.call('find_tools', {})).refusal, { error: 'invalid_request', hint: /`need`/ });
  await using other = await connectMcp(instance, instance.agents.ann, '?tools=contacts');
  t.notOk((await other.client.listTools()).tools.some(({ name }) => name === 'send_message'));
  await t.rejects(connectMcp(instance, instance.agents.ann, '?tools=none'), /there is no set/);
});

t.test('batches', async (t) => {
  await using instance = await startInstance();
  await using ann = await connectMcp(instance, instance.agents.ann);
  await fillMailbox(instance, 3);
  const { messages } = (await ann.call('list_messages')).structured as { messages: { id: string }[] };
  const ids = messages.map(({ id }) => id);
  const read = await ann.call('get_messages', { ids: [...ids, 'none'], max_chars: TEXT.length + 10 });
  const texts = (read.told.messages as { text: string }[]).map(({ text }) => text);
  t.match(texts[0], /^Hello Ann,/);
  t.equal(texts.join('').length, TEXT.length + 10, 'of all of them together');
  t.same(texts[1], texts[0]?.slice(0, texts[1]?.length));
  t.match(read.structured, { not_found: [], not_read: [ids[2], 'none'] });
  t.match((await ann.call('list_messages', { unread_only: true })).structured.messages, [{ id: ids[2] }]);
  t.match((await ann.call('update_messages', { ids: [...ids, 'none'], archived: true })).structured, {
    updated: 3,
    not_found: ['none'],
  });
  t.same((await ann.call('list_messages')).structured.messages, []);
  t.match((await ann.call('update_messages', { ids })).refusal, { error: 'nothing_to_update' });
  t.match((await ann.call('get_messages', { ids: Array(21).fill('x') })).refusal, { error: 'invalid_request' });
});
