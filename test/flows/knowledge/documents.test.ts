/** What a page may be: PDF, plain text, Markdown, any charset; what is fetched again only where it has changed. */

import iconv from 'iconv-lite';
import t from 'tap';
import { html, type SiteReply, startSite } from '../../harness/http/site.ts';
import { startInstance } from '../../harness/instance.ts';
import { createLibrarian, FAST } from '../../harness/knowledge.ts';

/** A PDF of one page with one line. */
const pdfOf = (line: string): Buffer => {
  const content = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Title (Tide tables) >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R /Info 6 0 R >>`;
  return Buffer.from(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`,
  );
};

const reply = (contentType: string, body: string | Uint8Array): SiteReply => ({
  headers: { 'content-type': contentType },
  body,
});

const PAGES: Readonly<Record<string, SiteReply>> = {
  '/tides.pdf': reply('application/pdf', pdfOf('High water at Bristol comes with the equinox')),
  '/broken.pdf': reply('application/pdf', '%PDF-1.4\nnothing more'),
  '/plain.txt': reply('text/plain', 'Opening hours\n\nThe ferry office opens at seven.'),
  '/notes.md': reply('text/markdown; charset=utf-8', '# Boats\n\n## Masts\n\nA mast of spruce bends.'),
  '/latin': reply(
    'text/html; charset=iso-8859-2',
    iconv.encode('<title>Łódź</title><p>Żółw płynie rzeką.</p>', 'iso-8859-2'),
  ),
  '/meta': reply(
    'text/html',
    iconv.encode('<meta charset="shift_jis"><title>船</title><p>港は静かです。</p>', 'shift_jis'),
  ),
  '/mark': reply('text/html', iconv.encode('<title>Mark</title><p>Ёлка горит.</p>', 'utf-16le', { addBOM: true })),
  '/undeclared': reply(
    'text/html',
    Buffer.from('<title>Caf\xe9</title><p>Cr\xe8me br\xfbl\xe9e at the quay.</p>', 'latin1'),
  ),
  '/nul': reply('text/html', '<title>Nul\0</title><p>Zero\0 &#0; &#xD800; octets of cassowary.</p>'),
  '/image': reply('image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47])),
};

t.test('forms and charsets', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  await using site = await startSite(({ url = '' }) => PAGES[url] ?? null);
  const sources = new Map<string, { status: string; error: string | null; title: string | null }>();
  const added = await Promise.all(
    Object.keys(PAGES).map(
      async (path) => [path, await library.add({ kind: 'page', url: `${site.origin}${path}` })] as const,
    ),
  );
  for (const [path, { id }] of added) sources.set(path, await library.settled(id));
  const found: [query: string, path: string, title: string][] = [
    ['high water equinox', '/tides.pdf', 'Tide tables'],
    ['ferry office', '/plain.txt', 'Opening hours'],
    ['spruce mast', '/notes.md', 'Boats'],
    ['zolw', '/latin', 'Łódź'],
    ['静か', '/meta', '船'],
    ['елка', '/mark', 'Mark'],
    ['creme brulee', '/undeclared', 'Café'],
    ['cassowary', '/nul', 'Nul'],
  ];
  for (const [query, path, title] of found) {
    t.match(await library.search(query, 1), [{ url: `${site.origin}${path}`, title }], `${path}: ${query}`);
    t.match(sources.get(path), { status: 'ready', title });
  }
  const [nul] = await library.search('cassowary', 1);
  t.notMatch(nul?.passage, /\0/);
  t.ok(nul?.passage.isWellFormed());
  t.match(sources.get('/broken.pdf'), { status: 'failed', error: 'It could not be read: it could not be parsed' });
  t.match(sources.get('/image'), { status: 'failed', error: 'It could not be read: no text: image/png' });
  t.same(instance.faults, []);
});

t.test('a site is fetched again: what has not changed is asked for by its validators', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  let version = 1;
  await using site = await startSite(({ url = '', headers }) => {
    if (url === '/') {
      const page = html(
        'Start',
        `<p>Start of version ${version}</p><a href="/same">s</a><a href="/${version === 1 ? 'old' : 'new'}">v</a><a href="/flaky">f</a>`,
      );
      return page;
    }
    if (url === '/same') {
      if (headers['if-none-match'] === '"s1"') return { status: 304 };
      const page = html('Same', '<p>An unchanging ibex.</p><a href="/below">b</a>');
      return { ...page, headers: { ...page.headers, etag: '"s1"' } };
    }
    if (url === '/below') return html('Below', '<p>Linked from the unchanged page: a kestrel.</p>');
    if (url === '/flaky') return version === 1 ? html('Flaky', '<p>A moody lynx.</p>') : { status: 503 };
    return url === '/old' || url === '/new' ? html(url, `<p>The ${url.slice(1)} heron.</p>`) : null;
  });
  const first = await library.addAndSettle({ kind: 'site', url: site.origin });
  t.match(first, { status: 'ready', pages: 5 });
  const [heron] = await library.search('heron');
  t.match(heron, { url: `${site.origin}/old` });
  const [ibex] = await library.search('ibex');

  version = 2;
  const before = site.requests.length;
  t.same(await library.refresh(first.id), { id: first.id, status: 'pending' });
  const second = await library.settled(first.id);
  t.match(second, { status: 'ready', pages: 5, error: null });
  const asked = site.requests.slice(before);
  t.equal(asked.find(({ path }) => path === '/same')?.status, 304);
  t.ok(
    asked.some(({ path }) => path === '/below'),
    'its links are followed all the same',
  );
  t.match(await library.search('heron'), [{ url: `${site.origin}/new` }], 'what is gone is found no more');
  t.match(await library.search('lynx'), [{ url: `${site.origin}/flaky` }], 'a page that fails for now stays');
  const [again] = await library.search('ibex');
  t.equal(again?.page_id, ibex?.page_id, 'a page keeps its id');
  t.match(await library.search('version 2', 1), [{ title: 'Start', passage: /version 2/ }]);
  t.equal((await library.ask('GET', `/v1/knowledge/pages/${heron?.page_id}`)).status, 404);

  site.answer(() => ({ status: 500 }));
  await library.refresh(first.id);
  const third = await library.settled(first.id);
  t.match(third, { status: 'failed', pages: 5, error: /500/ });
  t.equal((await library.search('ibex')).length, 1, 'the pages of before stay readable');
  t.same(instance.faults, []);
});

t.test('a crawl pauses where the site has had too many requests, and leaves no page out', async (t) => {
  await using instance = await startInstance({ runtime: { knowledge: { intervalMs: 0, pauseMs: 20 } } });
  const library = createLibrarian(instance);
  const links = [1, 2, 3, 4].map((n) => `<a href="/${n}">on</a>`).join(' ');
  let count = 0;
  await using site = await startSite(({ url = '' }) => {
    if (url === '/robots.txt' || url === '/sitemap.xml') return null;
    count += 1;
    if (count % 3 === 2) return { status: 429, ...(count === 2 && { headers: { 'retry-after': '1' } }) };
    if (url === '/') return html('start', links);
    return html('page', `<p>Page ${url}.</p>`);
  });
  const begun = performance.now();
  t.match(await library.addAndSettle({ kind: 'site', url: site.origin }), { status: 'ready', pages: 5, error: null });
  t.ok(performance.now() - begun >= 1_000, 'as long as it asks for');
  t.equal(site.requests.filter(({ status }) => status === 429).length, 2);

  site.answer(({ url = '' }) => (url === '/1' ? { status: 429 } : url === '/robots.txt' ? null : html(url, links)));
  const rest = await library.addAndSettle({ kind: 'site', url: `${site.origin}/rest` });
  t.match(rest, { status: 'ready', pages: 4, error: null }, 'a page that always has them keeps no other back');

  site.answer(() => ({ status: 429 }));
  const page = await library.addAndSettle({ kind: 'page', url: `${site.origin}/x` });
  t.match(page, { status: 'failed', error: /answered 429/ });
  t.same(instance.faults, []);
});

t.test(
  'a page that is longer than what is kept says so, each time; one of scripts alone says why it is empty',
  async (t) => {
    await using instance = await startInstance({ runtime: FAST });
    const library = createLibrarian(instance);
    const headers = { 'content-type': 'text/plain', etag: '"1"' };
    await using site = await startSite(({ url, headers: asked }) =>
      asked['if-none-match'] === '"1"'
        ? { status: 304 }
        : { headers, body: url === '/short' ? 'short' : 'word '.repeat(110_000) },
    );
    const long = await library.addAndSettle({ kind: 'page', url: `${site.origin}/llms-full.txt` });
    t.match(long, { status: 'ready', pages: 1, error: /^Not all of the page/ });
    await library.refresh(long.id);
    t.match(await library.settled(long.id), { status: 'ready', pages: 1, error: /^Not all of the page/ });
    t.match(await library.addAndSettle({ kind: 'page', url: `${site.origin}/short` }), {
      status: 'ready',
      error: null,
    });
    site.answer(() => html('App', '<noscript>Enable JavaScript</noscript><div id="root"></div>'));
    const empty = await library.addAndSettle({ kind: 'site', url: site.origin });
    t.match(empty, { status: 'failed', error: /what scripts add in a browser is not read/ });
    t.same(instance.faults, []);
  },
);
