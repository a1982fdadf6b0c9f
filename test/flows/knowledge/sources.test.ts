/** The Knowledge endpoints and their tools: each operation, each refusal, and the borders of a workspace. */

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createIdSource } from '../../../src/kernel/ids.ts';
import { listWorkspaces } from '../../../src/store/accounts/workspaces.ts';
import { insertSource } from '../../../src/store/knowledge/sources.ts';
import { cliJson } from '../../harness/cli.ts';
import { html, startSite } from '../../harness/http/site.ts';
import { startInstance } from '../../harness/instance.ts';
import { createLibrarian, FAST } from '../../harness/knowledge.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000abcd';
const FEES = '# Fees\n\nWhat we charge.\n\n## Parcels\n\nA parcel to Iceland costs nineteen crowns.';

t.test('the knowledge base', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  await using site = await startSite(({ url }) =>
    url === '/barred'
      ? { status: 403, headers: { 'cf-mitigated': 'challenge' } }
      : url === '/guide'
        ? html('Guide', '<main><h1>Guide</h1><p>Geysers erupt hourly near the harbour.</p></main>')
        : null,
  );
  const library = createLibrarian(instance);
  const { ask } = library;

  await t.test('is empty at first', async (t) => {
    t.same(await library.home(), { brief: '', sources: [], contents: [] });
    t.same(await library.search('parcels'), []);
  });

  await t.test('a text is added, found, read, and deleted', async (t) => {
    const response = await ask('POST', '/v1/knowledge/sources', { kind: 'text', body: FEES });
    t.equal(response.status, 201);
    const added = (await response.json()) as { id: string };
    t.same(added, {
      id: added.id,
      kind: 'text',
      url: null,
      title: null,
      status: 'pending',
      error: null,
      pages: 0,
      last_indexed_at: null,
      created_at: (added as unknown as { created_at: string }).created_at,
    });
    const ready = await library.settled(added.id);
    t.match(ready, { status: 'ready', pages: 1, title: 'Fees', error: null, last_indexed_at: String });
    const [hit] = await library.search('costs of parcels to iceland');
    t.match(hit, {
      source_id: added.id,
      title: 'Fees',
      url: null,
      heading: 'Fees > Parcels',
      passage: /nineteen crowns/,
    });
    t.ok((hit?.score ?? 0) > 0);
    t.match(await library.page(hit?.page_id ?? ''), { id: hit?.page_id, source_id: added.id, url: null, text: FEES });
    const home = await library.home();
    t.match(home, {
      brief: /^Fees: What we charge\./,
      sources: [{ id: added.id }],
      contents: [{ page_id: hit?.page_id }],
    });
    t.match(await library.refresh(added.id), { id: added.id, status: 'ready' }, 'a text is not fetched');
    t.same(await (await ask('DELETE', `/v1/knowledge/sources/${added.id}`)).json(), { deleted: true });
    t.same(await library.search('parcels to iceland'), []);
    t.equal((await ask('GET', `/v1/knowledge/pages/${hit?.page_id}`)).status, 404);
    t.equal((await ask('DELETE', `/v1/knowledge/sources/${added.id}`)).status, 404);
    await instance.daemon.jobs.runAll();
    const left = await instance.inStore(async ({ read }) => [
      ...(await read.selectFrom('knowledge_sources').selectAll().execute()),
      ...(await read.selectFrom('knowledge_pages').selectAll().execute()),
      ...(await read.selectFrom('knowledge_passages').selectAll().execute()),
    ]);
    t.same(left, [], 'nothing of it is left in the store');
  });

  await t.test('a page is fetched, and a missing one has failed', async (t) => {
    const page = await library.addAndSettle({ kind: 'page', url: `${site.origin}/guide#top`, title: 'The guide' });
    t.match(page, { kind: 'page', url: `${site.origin}/guide`, status: 'ready', title: 'The guide', pages: 1 });
    t.match(await library.search('geyser'), [{ url: `${site.origin}/guide`, title: 'Guide', heading: 'Guide' }]);
    const none = await library.addAndSettle({ kind: 'page', url: `${site.origin}/none` });
    t.match(none, { status: 'failed', pages: 0, error: 'It could not be read: the server answered 404' });
    const barred = await library.addAndSettle({ kind: 'page', url: `${site.origin}/barred` });
    t.match(barred.error, /answered 403 with a test that only browsers pass\. .* in Cloudflare/);
  });

  await t.test('refusals', async (t) => {
    const cases: [body: unknown, error: string, hint: RegExp][] = [
      [{ kind: 'text' }, 'body_required', /body/],
      [{ kind: 'text', body: '  ' }, 'body_required', /body/],
      [{ kind: 'text', body: 'x'.repeat(200_001) }, 'invalid_request', /body/],
      [{ kind: 'text', body: 'x', url: 'https://a.example' }, 'invalid_request', /`url`/],
      [{ kind: 'text', body: 'x', title: 'a\nb' }, 'invalid_request', /title/],
      [{ kind: 'page' }, 'invalid_request', /`url`/],
      [{ kind: 'site', url: 'ftp://a.example' }, 'invalid_request', /https/],
      [{ kind: 'site', url: 'no url' }, 'invalid_request', /https/],
      [{ kind: 'site', url: `https://a.example/${'x'.repeat(2_000)}` }, 'invalid_request', /url/],
      [{ kind: 'page', url: 'https://a.example', body: 'x' }, 'invalid_request', /`body`/],
      [{ kind: 'wiki', url: 'https://a.example' }, 'invalid_request', /kind/],
      [{ kind: 'page', url: 'https://user:pass@a.example' }, 'credentials_in_url', /credentials/],
      [{ kind: 'page', url: 'http://10.0.0.1/' }, 'private_url_not_allowed', /private/],
      [{ kind: 'site', url: 'http://[::1]:8080/' }, 'private_url_not_allowed', /private/],
      [{ kind: 'page', url: 'http://169.254.169.254/latest' }, 'private_url_not_allowed', /private/],
    ];
    const before = (await library.home()).sources.length;
    for (const [body, error, hint] of cases) {
      const response = await ask('POST', '/v1/knowledge/sources', body);
      t.equal(response.status, 400);
      t.match(await response.json(), { error, hint }, JSON.stringify(body).slice(0, 80));
    }
    t.equal((await library.home()).sources.length, before, 'none of them changed anything');
    for (const [method, path, code] of [
      ['GET', `/v1/knowledge/sources/${UNKNOWN}`, 'source_not_found'],
      ['POST', `/v1/knowledge/sources/${UNKNOWN}`, 'source_not_found'],
      ['DELETE', '/v1/knowledge/sources/x', 'source_not_found'],
      ['GET', `/v1/knowledge/pages/${UNKNOWN}`, 'page_not_found'],
      ['GET', '/v1/knowledge/pages/x', 'page_not_found'],
    ] as const) {
      const response = await ask(method, path);
      t.equal(response.status, 404);
      t.match(await response.json(), { error: code });
    }
    for (const query of ['q=x&limit=26', 'q=x&limit=0', `q=${'x'.repeat(1_001)}`, 'q=x&page=2']) {
      t.equal((await ask('GET', `/v1/knowledge?${query}`)).status, 400, query);
    }
    for (const q of ['...', '"', 'a\0b', 'NOT OR AND', 'title:x', '\ud800']) {
      t.equal((await ask('GET', `/v1/knowledge?q=${encodeURIComponent(q.toWellFormed())}`)).status, 200, q);
    }
  });

  await t.test('keys: reads need mail:read, writes notes', async (t) => {
    const keyOf = async (scopes: string) => {
      const { key } = await cliJson(instance.configPath, 'keys', 'add', 'ann', '--scopes', scopes);
      return { ...instance.agents.ann, key: String(key) };
    };
    const [reader, writer] = [await keyOf('mail:read'), await keyOf('notes')];
    t.equal((await instance.request(reader, 'GET', '/v1/knowledge')).status, 200);
    t.equal((await instance.request(writer, 'GET', '/v1/knowledge')).status, 403);
    const text = { kind: 'text', body: 'Written by a key for notes.' };
    t.equal((await instance.request(reader, 'POST', '/v1/knowledge/sources', text)).status, 403);
    t.equal((await instance.request(writer, 'POST', '/v1/knowledge/sources', text)).status, 201);
  });

  await t.test("another workspace's sources are not there", async (t) => {
    const { id } = await library.addAndSettle({
      kind: 'text',
      body: 'The vault code of Acme is walrus.',
      title: 'Acme',
    });
    const [own] = await library.search('walrus');
    const globex = await instance.addWorkspace('Globex');
    const other = createLibrarian(instance, await instance.addAgent('zoe', globex));
    await other.addAndSettle({ kind: 'text', body: 'Globex has its own text.' });
    t.same(await other.search('walrus vault code'), []);
    t.equal((await other.home()).sources.length, 1);
    for (const [method, path] of [
      ['GET', `/v1/knowledge/sources/${id}`],
      ['POST', `/v1/knowledge/sources/${id}`],
      ['DELETE', `/v1/knowledge/sources/${id}`],
      ['GET', `/v1/knowledge/pages/${own?.page_id}`],
    ] as const) {
      t.equal((await other.ask(method, path)).status, 404, `${method} ${path}`);
    }
    t.match(await library.search('walrus'), [{ source_id: id }]);
  });

  await t.test('by tools: text of sources stands in the marked block alone', async (t) => {
    await using ann = await connectMcp(instance, instance.agents.ann);
    const added = await ann.call('add_knowledge_source', { kind: 'text', body: FEES, title: 'Tariff' });
    const sourceId = String(added.structured.id);
    t.match(added.structured, { kind: 'text', status: 'pending', title: null });
    await eventually(
      async () => (await ann.call('get_knowledge_source', { source_id: sourceId })).structured.pages === 1,
    );
    const found = await ann.call('search_knowledge', { q: 'parcel to iceland', limit: 1 });
    const [hit] = found.structured.hits as { page_id: string; passage: null }[];
    t.match(hit, { source_id: sourceId, passage: null, title: null, heading: null, score: Number });
    t.match(found.texts.at(-1), /^Written by a knowledge source.*\n.*"id":.*"passage":"A parcel to Iceland/s);
    const page = await ann.call('get_knowledge_page', { page_id: hit?.page_id });
    t.match(page.structured, { id: hit?.page_id, text: null, title: null });
    t.match(page.told.text, /^# Fees/);
    const part = await ann.call('get_knowledge_page', { page_id: hit?.page_id, max_chars: 6, offset: 2 });
    t.match(part.structured, { text_chars: FEES.length, next_offset: 8 });
    t.equal(part.told.text, 'Fees\n\n');
    t.match((await ann.call('get_knowledge')).structured, {
      brief: null,
      sources: { 0: { id: String } },
      contents: Array,
    });
    t.match((await ann.call('list_knowledge_sources')).structured, { sources: { 0: { id: String, status: 'ready' } } });
    t.match((await ann.call('refresh_knowledge_source', { source_id: sourceId })).structured, { status: 'ready' });
    t.match((await ann.call('search_knowledge', {})).refusal, { error: 'invalid_request' });
    t.match((await ann.call('get_knowledge_page', { page_id: UNKNOWN })).refusal, { error: 'page_not_found' });
    t.match((await ann.call('delete_knowledge_source', { source_id: sourceId })).structured, { deleted: true });
    t.match((await ann.call('delete_knowledge_source', { source_id: sourceId })).refusal, {
      error: 'source_not_found',
    });
  });
  t.same(instance.faults, []);
});

t.test("the plan's pages: refused beyond them, also when asked at once, and a crawl stops at them", async (t) => {
  const plan = '[free]\nknowledge_pages = 4\nvelocity_floor = 20\nduplicate_recipients = 10\n';
  const plans = `${plan}${plan.replace('free', 'pro')}${plan.replace('free', 'unlimited')}`;
  await using instance = await startInstance({ runtime: FAST, plans });
  await using site = await startSite(({ url = '' }) =>
    url === '/robots.txt'
      ? null
      : html(`Page ${url}`, `<main><p>Words of ${url}.</p><a href="${url}x">more</a></main>`),
  );
  const library = createLibrarian(instance);
  const replies = await Promise.all(
    Array.from({ length: 9 }, (_, at) =>
      library.ask('POST', '/v1/knowledge/sources', { kind: 'text', body: `Text ${at}` }),
    ),
  );
  t.same(replies.map(({ status }) => status).sort(), [201, 201, 201, 201, 402, 402, 402, 402, 402]);
  const refused = replies.find(({ status }) => status === 402);
  t.match(await refused?.json(), { error: 'knowledge_limit_reached', included: 4, used: 4 });
  const { sources } = await library.home();
  for (const { id } of sources) await library.settled(id);
  for (const { id } of sources.slice(0, 2)) await library.ask('DELETE', `/v1/knowledge/sources/${id}`);
  const crawled = await library.addAndSettle({ kind: 'site', url: `${site.origin}/` });
  t.match(crawled, { status: 'ready', pages: 2, error: /plan's pages are used up/ });
  t.equal((await library.ask('POST', '/v1/knowledge/sources', { kind: 'text', body: 'More' })).status, 402);
  t.same(instance.faults, []);
});

t.test('a workspace without a limit of pages has 5,000 sources: REST lists them all, the tools some', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  const text = { kind: 'text', body: FEES };
  await library.addAndSettle(text);
  const newId = createIdSource(systemClock, randomBytes);
  await instance.inStore((store) =>
    store.write(async (tx) => {
      const [workspace] = await listWorkspaces(tx.db);
      if (!workspace) throw new Error('There is no workspace.');
      const none = { url: null, lastIndexedAt: null, queuedAt: null, crawlOrigin: null, removedAt: null, pages: 0 };
      for (let n = 0; n < 4_998; n += 1) {
        await insertSource(tx, {
          ...none,
          id: newId<'source'>(),
          workspaceId: workspace.id,
          kind: 'text',
          title: 'Nothing',
          status: 'failed',
          error: 'It is empty.',
          createdAt: Date.now(),
          round: 1,
          crawlOctets: 0,
          crawlMs: 0,
        });
      }
    }),
  );
  t.match(await library.addAndSettle({ ...text, body: '# Hours' }), { status: 'ready' });
  const refused = await library.ask('POST', '/v1/knowledge/sources', text);
  t.equal(refused.status, 402);
  t.match(await refused.json(), { error: 'knowledge_limit_reached', hint: /at most 5000 sources/, included: 5_000 });
  const home = await library.home();
  t.equal(home.sources.length, 5_000);
  t.same(
    home.contents.map(({ title }) => title),
    ['Fees', 'Hours'],
  );
  await using ann = await connectMcp(instance, instance.agents.ann);
  const shown = (await ann.call('get_knowledge')).structured as { sources: unknown[] };
  t.match({ ...shown, sources: shown.sources.length }, { sources: 100, sources_left_out: 4_900 });
  const whole = (await (await library.ask('GET', '/v1/knowledge/sources')).json()) as { sources: { id: string }[] };
  t.equal(whole.sources.length, 5_000);
  const listed: unknown[] = [];
  let cursor: unknown;
  for (const size of [10, 10]) {
    const page = (await ann.call('list_knowledge_sources', cursor === undefined ? {} : { cursor })).structured;
    const ids = (page.sources as { id: string }[]).map(({ id }) => id);
    t.equal(ids.length, size);
    listed.push(...ids);
    cursor = page.next_cursor;
  }
  t.same(
    listed,
    whole.sources.slice(0, 20).map(({ id }) => id),
    'the newest first',
  );
  t.same(instance.faults, []);
});
