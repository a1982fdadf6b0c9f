/** A site that does all that sites do to crawlers is indexed within its bounds, and searchable meanwhile. */

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { html, type Site, type SiteAnswer, startSite } from '../../harness/http/site.ts';
import { startInstance } from '../../harness/instance.ts';
import { createLibrarian, FAST } from '../../harness/knowledge.ts';
import { rounds } from '../../harness/long-form.ts';
import { eventually } from '../../harness/smtp/send-mail.ts';

const PAGES = rounds(100, 300);

/** A word that only one page has, whatever its ending. */
const wordOf = (at: number): string =>
  `quokka${[...String(at)].map((digit) => 'bcdfghjklm'.charAt(Number(digit))).join('')}`;

const article = (at: number, links: readonly string[]): string =>
  `<nav><a href="/">Start</a><a href="/p/1">One</a></nav><main><h1>Article ${at}</h1>
   <p>The habits of the ${wordOf(at)} are told on this page, which is one of many.</p>
   <h2>Diet</h2><p>It eats leaves, grass and what visitors bring along.</p>
   ${links.map((link) => `<a href="${link}">on</a>`).join(' ')}</main><footer>Imprint zeppelin</footer>`;

/** Pages in a tree, with links back to the start; beside it all that is hostile. */
const answerAs =
  (waits: ServerResponse[], inner: Site): SiteAnswer =>
  ({ url = '' }, response) => {
    const at = Number(/^\/p\/(\d+)$/.exec(url)?.[1] ?? 0);
    if (at > 0 && at <= PAGES) {
      const children = [1, 2, 3, 4].map((child) => 4 * (at - 1) + child + 1).filter((child) => child <= PAGES);
      return html(`Article ${at}`, article(at, [...children.map((child) => `/p/${child}`), '/', `/p/${at}#top`]));
    }
    if (url === '/') {
      const odd = [
        '/loop-a',
        '/inner',
        '/inner-name',
        '/away',
        '/trap/0',
        '/huge',
        '/deep',
        '/bomb',
        '/cut',
        '/slow',
        '/image.png',
        '/lies',
      ];
      return html(
        'Quokkas',
        article(0, ['/p/1', ...odd, 'mailto:x@y.test', 'javascript:alert(1)', 'http://[', '/secret/1']),
      );
    }
    if (url === '/robots.txt')
      return { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /secret/\n' };
    if (url === '/loop-a') return { status: 302, headers: { location: '/loop-b' } };
    if (url === '/loop-b') return { status: 302, headers: { location: '/loop-a' } };
    if (url === '/inner') return { status: 302, headers: { location: inner.origin } };
    if (url === '/inner-name') return { status: 301, headers: { location: `http://inner.test:${inner.port}/` } };
    if (url === '/away') return { status: 301, headers: { location: 'http://elsewhere.test/' } };
    const trap = /^\/trap\/(\d+)$/.exec(url)?.[1];
    if (trap !== undefined) {
      const next = Number(trap) + 1;
      return html(
        `Trap ${trap}`,
        `<p>Trap number ${trap}.</p>${[0, 1, 2].map((n) => `<a href="/trap/${next * 3 + n}">x</a>`).join('')}`,
      );
    }
    if (url === '/huge') {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = (): void => {
        while (!response.destroyed && response.write('<p>huge</p>'.repeat(6_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      return 'answered';
    }
    if (url === '/deep')
      return { headers: { 'content-type': 'text/html' }, body: `${'<div>'.repeat(100_000)}pit of narwhals` };
    if (url === '/bomb') {
      const body = gzipSync(Buffer.alloc(60_000_000, '<b>'));
      return { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body };
    }
    if (url === '/cut') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '9999' });
      response.write('<p>cut');
      setTimeout(() => response.destroy(), 5);
      return 'answered';
    }
    if (url === '/slow') {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('<p>slow');
      waits.push(response);
      return 'answered';
    }
    if (url === '/lies')
      return { headers: { 'content-type': 'text/html' }, body: Buffer.from([0, 1, 2, 3, 0xff, 0xfe, 0]) };
    return url === '/secret/1' ? html('Secret', 'forbidden pangolin') : null;
  };

t.test('a hostile site of many pages', async (t) => {
  const waits: ServerResponse[] = [];
  const limits = { ...FAST.knowledge, fetchMs: 5_000 };
  await using instance = await startInstance({ runtime: { knowledge: limits } });
  // An address that is not allowed, where something answers.
  await using inner = await startSite(() => html('Inner', 'internal wombat'), '::1');
  instance.dns.zone.set('inner.test', 'AAAA', ['::1']);
  instance.dns.zone.set('elsewhere.test', 'A', ['127.0.0.1']);
  await using site = await startSite(answerAs(waits, inner));
  const library = createLibrarian(instance);
  const { id } = await library.add({ kind: 'site', url: site.origin });

  const early = await eventually(async () => {
    const source = await library.get(id);
    return (source.pages >= 5 || source.status === 'failed') && source;
  }, 60_000);
  t.equal(early.status, 'indexing');
  t.ok(early.pages < PAGES, `searched after ${early.pages} pages`);
  t.match(await library.search(`what does the ${wordOf(1)} eat`, 1), [{ title: 'Article 1', source_id: id }]);

  const source = await library.settled(id, 120_000);
  t.match(source, { status: 'ready', title: 'Quokkas', error: null });
  const ofTrap = 1 + 3 + 9 + 27 + 81;
  t.equal(
    source.pages,
    1 + PAGES + ofTrap + 1,
    'the start, all articles, the trap down to the depth, and the deep page',
  );
  t.ok(site.paths.length < 700, `${site.paths.length} requests`);
  const times = new Map<string, number>();
  for (const path of site.paths) times.set(path, (times.get(path) ?? 0) + 1);
  const again = [...times].filter(([path, count]) => count > 1 && !path.startsWith('/loop'));
  t.same(again, [], 'no page is fetched twice');
  t.notOk(times.has('/secret/1'), 'robots.txt');
  t.notOk(times.has('/image.png'), 'what is no text');

  for (const at of [1, 77, PAGES]) {
    t.match(await library.search(wordOf(at)), [{ url: `${site.origin}/p/${at}`, title: `Article ${at}` }]);
  }
  t.match(await library.search('narwhals pit', 1), [{ url: `${site.origin}/deep` }], 'nested as deep as it likes');
  t.same(await library.search('zeppelin'), [], 'what stands around the content is left out');
  t.same(await library.search('pangolin wombat'), []);
  t.same(inner.paths, [], 'no redirect leads inside');
  t.ok((await library.home()).brief.startsWith('Quokkas ('), 'the brief begins with the site');
  t.ok((await library.home()).brief.length <= 2_000);
  t.same(instance.faults, []);
  for (const response of waits) response.destroy();
});

t.test('bounds of pages, depth and octets', async (t) => {
  const limits = { intervalMs: 0, pages: 10, depth: 2, octets: 40_000 };
  await using instance = await startInstance({ runtime: { knowledge: limits } });
  const library = createLibrarian(instance);
  await using wide = await startSite(({ url = '' }) =>
    /^\/\d*$/.test(url)
      ? html(
          `Page ${url}`,
          `<p>Number ${url}</p>${Array.from({ length: 30 }, (_, at) => `<a href="/${at}">x</a>`).join('')}`,
        )
      : null,
  );
  const many = await library.addAndSettle({ kind: 'site', url: wide.origin });
  t.match(many, { status: 'ready', pages: 10, error: /more pages/ });
  await using tall = await startSite(({ url = '' }) =>
    /^\/a*$/.test(url) ? html(`Page ${url}`, `<p>Level ${url}</p><a href="${url}a">down</a>`) : null,
  );
  t.match(await library.addAndSettle({ kind: 'site', url: tall.origin }), { status: 'ready', pages: 3, error: null });
  await using heavy = await startSite(({ url = '' }) =>
    /^\/a*$/.test(url)
      ? html(
          `Page ${url}`,
          `<p>Level ${url} ${'weight '.repeat(2_000)}</p><a href="/a">x</a><a href="/aa">x</a><a href="/aaa">x</a>`,
        )
      : null,
  );
  t.match(await library.addAndSettle({ kind: 'site', url: heavy.origin }), {
    status: 'ready',
    pages: 3,
    error: /larger/,
  });
  t.same(instance.faults, []);
});

t.test('sitemaps, redirects of the first page, robots.txt', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  await using site = await startSite(({ url = '' }) => {
    const xml = { 'content-type': 'application/xml' };
    const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;
    if (url === '/robots.txt')
      return { body: `Sitemap: ${at('/map.xml')}\nUser-agent: postroom\nDisallow: /no\nCrawl-delay: 0.01` };
    if (url === '/map.xml')
      return {
        headers: xml,
        body: `<sitemapindex><sitemap><loc>${at('/one.xml.gz')}</loc></sitemap><sitemap><loc>${at('/bad.xml')}</loc></sitemap><sitemap><loc>${at('/away.xml')}</loc></sitemap></sitemapindex>`,
      };
    if (url === '/away.xml') return { status: 302, headers: { location: `${moved.origin}/map.xml` } };
    if (url === '/one.xml.gz') {
      const locations = [at('/alone'), at('/no'), 'http://elsewhere.test/x', at('/noindex')];
      return {
        body: gzipSync(`<urlset>${locations.map((each) => `<url><loc>${each}</loc></url>`).join('')}</urlset>`),
      };
    }
    if (url === '/bad.xml') return { body: gzipSync(Buffer.alloc(30_000_000)) };
    if (url === '/') return html('Start', '<p>Beginning of it all.</p>');
    if (url === '/alone') return html('Alone', '<p>No page links to this axolotl.</p>');
    if (url === '/noindex')
      return html('Hidden', '<p>A hidden marmoset.</p>', '<meta name="robots" content="noindex">');
    return url === '/no' ? html('No', '<p>A disallowed tapir.</p>') : null;
  });
  await using moved = await startSite(() => ({ status: 301, headers: { location: `${site.origin}/` } }));
  const source = await library.addAndSettle({ kind: 'site', url: moved.origin });
  t.match(source, { status: 'ready', pages: 2, title: 'Start' });
  t.match(await library.search('axolotl'), [{ url: `${site.origin}/alone` }]);
  t.same(await library.search('tapir marmoset'), []);
  t.notOk(site.paths.includes('/no'));
  t.ok(site.paths.includes('/away.xml'));
  t.notOk(moved.paths.includes('/map.xml'), 'no sitemap leads to another site');

  await using closed = await startSite(({ url }) =>
    url === '/robots.txt' ? { body: 'User-agent: *\nDisallow: /' } : html('x', 'x'),
  );
  const refused = await library.addAndSettle({ kind: 'site', url: closed.origin });
  t.match(refused, { status: 'failed', error: /robots\.txt does not allow/ });
  await using broken = await startSite(({ url }) => (url === '/robots.txt' ? { status: 503 } : html('x', 'x')));
  t.match(await library.addAndSettle({ kind: 'site', url: broken.origin }), { status: 'failed', error: /robots\.txt/ });
  t.same(broken.paths, ['/robots.txt'], 'RFC 9309 section 2.3.1.4');
  t.same(instance.faults, []);
});

t.test('a crawl of a site that is half away removes what it has seen gone, and nothing else', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  let away: readonly string[] = [];
  let gone: readonly string[] = [];
  const page = (word: string, ...links: string[]) =>
    html(word, `<p>The ${word}.</p>${links.map((link) => `<a href="${link}">on</a>`).join(' ')}`);
  await using site = await startSite(({ url = '' }) => {
    if (away.includes(url)) return { status: 503 };
    if (gone.includes(url)) return null;
    if (url === '/sitemap.xml')
      return {
        headers: { 'content-type': 'application/xml' },
        body: `<urlset><url><loc>${site.origin}/alone</loc></url></urlset>`,
      };
    if (url === '/') return page('start', '/shelf', '/leaving');
    if (url === '/shelf') return page('shelf', '/book');
    const words: Record<string, string> = { '/book': 'novel', '/alone': 'hermit', '/leaving': 'axolotl' };
    return words[url] ? page(words[url]) : null;
  });
  const source = await library.addAndSettle({ kind: 'site', url: site.origin });
  t.match(source, { status: 'ready', pages: 5, error: null });
  const again = async () => {
    await library.refresh(source.id);
    return library.settled(source.id);
  };
  [away, gone] = [['/shelf', '/sitemap.xml'], ['/leaving']];
  t.match(await again(), { status: 'ready', pages: 4, error: /a sitemap could not be/ });
  t.match(await library.search('novel'), [{ url: `${site.origin}/book` }]);
  t.match(await library.search('hermit'), [{ url: `${site.origin}/alone` }]);
  t.same(await library.search('axolotl'), []);
  away = [];
  gone = ['/sitemap.xml'];
  t.match(await again(), { status: 'ready', pages: 4, error: null });
  t.same(await library.search('hermit'), [], 'a whole crawl has not found it');
});

t.test("a crawl again where the plan's pages are used up keeps the pages that are there", async (t) => {
  const plan = '[free]\nknowledge_pages = 4\nvelocity_floor = 20\nduplicate_recipients = 10\n';
  const plans = `${plan}${plan.replace('free', 'pro')}${plan.replace('free', 'unlimited')}`;
  await using instance = await startInstance({ runtime: FAST, plans });
  const library = createLibrarian(instance);
  let links = ['/heron', '/stork', '/crane'];
  await using site = await startSite(({ url = '' }) => {
    if (url === '/') return html('Birds', `<p>All.</p>${links.map((link) => `<a href="${link}">x</a>`).join(' ')}`);
    return /^\/\w+$/.test(url) ? html(url, `<p>The ${url.slice(1)}.</p>`) : null;
  });
  const source = await library.addAndSettle({ kind: 'site', url: site.origin });
  t.match(source, { status: 'ready', pages: 4, error: null });
  links = ['/egret', '/ibis', '/heron', '/stork'];
  await library.refresh(source.id);
  t.match(await library.settled(source.id), { status: 'ready', pages: 3, error: /plan's pages are used up/ });
  t.match(await library.search('stork'), { 0: { url: `${site.origin}/stork` } });
  t.notOk(site.paths.includes('/ibis'), 'a new page that has no room is not fetched');
  await library.refresh(source.id);
  t.match(await library.settled(source.id), { status: 'ready', pages: 4 });
  t.match(await library.search('egret'), { 0: { url: `${site.origin}/egret` } }, 'in the place of one that is gone');
});
