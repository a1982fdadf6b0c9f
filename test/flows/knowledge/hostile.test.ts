/** Sites and agents that mean harm: what they send stays within bounds, and nothing of it is a fault of the instance. */

import { deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { html, type SiteAnswer, startSite } from '../../harness/http/site.ts';
import { startInstance } from '../../harness/instance.ts';
import { createLibrarian, FAST } from '../../harness/knowledge.ts';
import { rounds } from '../../harness/long-form.ts';

const text = (body: string | Uint8Array, type = 'text/plain') => ({ headers: { 'content-type': type }, body });

/** A PDF of one stream that unpacks to so many octets of text. */
const pdfBomb = (octets: number): Buffer => {
  const stream = deflateSync(Buffer.from(`BT /F1 12 Tf ${'(bomb) Tj '.repeat(octets / 10)} ET`));
  const parts = [
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n',
    '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n',
    `4 0 obj<</Length ${stream.length}/Filter/FlateDecode>>stream\n`,
  ].map((part) => Buffer.from(part, 'latin1'));
  return Buffer.concat([...parts, stream, Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF')]);
};

t.test('hostile sites', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  const crawl = async (answer: SiteAnswer) => {
    await using site = await startSite(answer);
    const source = await library.addAndSettle({ kind: 'site', url: site.origin }, 120_000);
    return { source, paths: [...site.paths] };
  };

  await t.test('a robots.txt that costs its thread, or never ends', async (t) => {
    const rule = `Disallow: /${'*a'.repeat(200)}b$\n`;
    const { source } = await crawl(({ url = '' }) =>
      url === '/robots.txt'
        ? text(`User-agent: *\n${rule.repeat(rounds(120, 1_200))}`)
        : html('Costly', `<p>Text</p><a href="/${'a'.repeat(1_900)}">x</a>`),
    );
    t.match(['ready', 'failed'].includes(source.status), true, `${source.status}: ${source.error}`);
    t.same(instance.faults, []);
    const endless = await crawl(({ url = '' }) =>
      url === '/robots.txt' ? text('Disallow: /\n'.repeat(500_000)) : html('x', 'x'),
    );
    t.match(endless.source, { status: 'failed', error: /robots\.txt: larger than/ });
    t.same(endless.paths, ['/robots.txt']);
  });

  await t.test('sitemaps: huge, nested without end, bombs, of others', async (t) => {
    const { source, paths } = await crawl(({ url = '' }) => {
      if (url === '/sitemap.xml') {
        const urls = Array.from({ length: 60_000 }, (_, n) => `<url><loc>http://169.254.169.254/${n}</loc></url>`);
        return text(gzipSync(`<urlset>${urls.join('')}</urlset>`), 'application/gzip');
      }
      return url === '/' ? html('Maps', '<p>A site of maps alone.</p>') : null;
    });
    t.match(source, { status: 'ready', pages: 1, error: null });
    t.same(paths, ['/robots.txt', '/', '/sitemap.xml'], 'nothing of another origin');
    const nested = await crawl(({ url = '', headers }) => {
      const origin = `http://${headers.host}`;
      if (url === '/robots.txt') return text(`Sitemap: ${origin}/map0.xml`);
      const at = /^\/map(\d+)\.xml$/.exec(url)?.[1];
      if (at !== undefined) {
        const more = [1, 2, 3].map((n) => `<sitemap><loc>${origin}/map${Number(at) * 3 + n}.xml</loc></sitemap>`);
        return text(`<sitemapindex>${more.join('')}</sitemapindex>`, 'application/xml');
      }
      return url === '/' ? html('Maps', '<p>A site of maps within maps.</p>') : null;
    });
    t.match(nested.source, { status: 'ready', pages: 1 });
    t.equal(nested.paths.filter((path) => path.startsWith('/map')).length, 10);
    t.same(instance.faults, []);
  });

  await t.test(
    'what is not indexed counts as well: octets of missing and broken pages, and of redirects',
    async (t) => {
      const ballast = 'x'.repeat(4_000_000);
      const { source, paths } = await crawl(({ url = '' }) => {
        if (url === '/robots.txt') return null;
        if (url === '/sitemap.xml') return null;
        if (url === '/') {
          const links = Array.from({ length: 90 }, (_, n) => `<a href="/${n % 3}-${n}">x</a>`).join('');
          return html('Heavy', `<p>Pages that weigh much.</p>${links}`);
        }
        if (url.startsWith('/0')) return { status: 404, body: ballast };
        if (url.startsWith('/1')) return { status: 500, body: ballast };
        return { status: 302, headers: { location: '/0-0' }, body: ballast };
      });
      t.match(source, { status: 'ready', pages: 1, error: /larger than one crawl may fetch/ });
      t.ok(paths.length < 30, `${paths.length} requests of 4 MB`);
    },
  );

  await t.test('charsets that are none, control characters and directions in titles', async (t) => {
    const pages: Record<string, ReturnType<SiteAnswer>> = {
      '/base64': text('quetzal of base', 'text/plain; charset=base64'),
      '/hex': text('quetzal of hex', 'text/plain; charset=hex'),
      '/utf7': text('+ADw-script+AD4- quetzal', 'text/html; charset=utf-7'),
      '/none': text('quetzal of none', 'text/plain; charset=no-such-charset'),
      '/title': html('a&#27;[31m&#0;&#x202e;b\u0007\u2028c&#10;d', '<p>A quetzal&#27;]0;x&#7; here.</p>'),
      '/16': text(Buffer.from('\ufeffquetzal sixteen', 'utf16le'), 'text/plain; charset=utf-8'),
    };
    const { source } = await crawl(({ url = '' }) =>
      url === '/'
        ? html('Sets', `<p>Charsets.</p>${Object.keys(pages).map((path) => `<a href="${path}">x</a>`)}`)
        : (pages[url] ?? null),
    );
    t.equal(source.status, 'ready');
    const hits = await library.search('quetzal', 25);
    const paths = hits.map(({ url }) => new URL(url ?? '').pathname);
    for (const path of Object.keys(pages)) t.ok(paths.includes(path), path);
    for (const { title, passage, heading } of hits) {
      t.notMatch(`${title}${heading}`, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u, JSON.stringify(title));
      t.notMatch(passage, /[^\P{Cc}\n\t]/u, JSON.stringify(passage));
    }
    t.same(instance.faults, []);
  });

  await t.test('PDF and gzip bombs, and what is no PDF', async (t) => {
    const bomb = pdfBomb(rounds(10_000_000, 100_000_000));
    const { source } = await crawl(({ url = '' }) => {
      if (url === '/')
        return html(
          'Bombs',
          `<p>A page of bombs.</p>${['a', 'b', 'd', 'e'].map((name) => `<a href="/${name}">x</a>`)}<a href="/good">x</a>`,
        );
      if (url === '/a') return text(bomb, 'application/pdf');
      if (url === '/b') return text(Buffer.from('%PDF-1.7\n%%EOF'), 'application/pdf');
      if (url === '/d')
        return {
          headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
          body: gzipSync(gzipSync(Buffer.alloc(rounds(8e7, 4e8)))),
        };
      if (url === '/e')
        return { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip, gzip' }, body: 'x' };
      return url === '/good' ? html('Good', '<p>The good okapi.</p>') : null;
    });
    t.match(source, { status: 'ready', error: null });
    t.match(await library.search('okapi'), [{ title: 'Good' }]);
  });

  await t.test('forms of private addresses', async (t) => {
    const forms = [
      'http://0x0a000001/',
      'http://167772161/',
      'http://012.1/',
      'http://10.1/',
      'http://１０.0.0.1/',
      'http://10。0。0。1/',
      'http://[::ffff:10.0.0.1]/',
      'http://[::ffff:0a00:1]/',
      'http://[64:ff9b::a00:1]/',
      'http://[2002:a00:1::]/',
      'http://[::]/',
      'http://0/',
      'http://[fe80::1]/',
      'http://[fd00::1]:6379/',
      'http://100.64.0.1/',
      'http://192.168.0.1\\@example.com/',
      'http:\\\\10.0.0.1/',
      'HTTP://10.0.0.1./',
    ];
    for (const url of forms) {
      const response = await library.ask('POST', '/v1/knowledge/sources', { kind: 'page', url });
      t.equal(response.status, 400, url);
      t.match(await response.json(), { error: 'private_url_not_allowed' }, url);
    }
    const { source } = await crawl(({ url = '' }) => {
      if (url === '/') return html('Ways', `<p>Ways inside.</p>${forms.map((_, at) => `<a href="/${at}">x</a>`)}`);
      const form = forms[Number(url.slice(1))];
      return form === undefined ? null : { status: 302, headers: { location: Buffer.from(form).toString('latin1') } };
    });
    t.match(source, { status: 'ready', pages: 1 });
    t.same(instance.faults, []);
  });
});

t.test('an agent gone bad', async (t) => {
  await using instance = await startInstance({ runtime: FAST });
  const library = createLibrarian(instance);
  await t.test('texts that are costly to split are read, or fail in words', async (t) => {
    const bodies = [
      `# a${' '.repeat(190_000)}x\n\nokapi one`,
      `# ${'# '.repeat(90_000)}x\n\nokapi two`,
      `# ${'['.repeat(190_000)}\n\nokapi three`,
      `${'['.repeat(190_000)}\n===\n\nokapi four`,
      `# ${'[]('.repeat(60_000)}\n\nokapi five`,
    ];
    for (const body of bodies) {
      const { status, error } = await library.addAndSettle({ kind: 'text', body }, 60_000);
      t.same([status, error], ['ready', null]);
    }
    t.equal((await library.search('okapi', 25)).length, bodies.length);
    t.same(instance.faults, []);
  });

  await t.test('many at once: sources, refreshes, and deletion while crawling', async (t) => {
    await using site = await startSite(({ url = '' }) =>
      url === '/robots.txt' || url === '/sitemap.xml'
        ? null
        : html(`P ${url}`, `<p>Words.</p><a href="${url}a">x</a><a href="${url}b">x</a>`),
    );
    const ids = (
      await Promise.all(Array.from({ length: 4 }, () => library.add({ kind: 'site', url: site.origin })))
    ).map(({ id }) => id);
    await Promise.all([...ids, ...ids].map((id) => library.refresh(id)));
    const [first = '', second = '', third = '', last = ''] = ids;
    const statuses = await Promise.all(
      [first, first, second, third].map(
        async (id) => (await library.ask('DELETE', `/v1/knowledge/sources/${id}`)).status,
      ),
    );
    t.same(statuses.toSorted(), [200, 200, 200, 404]);
    await Promise.all([last, last, last].map((id) => library.refresh(id)));
    t.match(await library.settled(last, 60_000), { status: 'ready', pages: 63, error: null });
    await instance.daemon.jobs.runAll();
    const left = await instance.inStore(({ read }) => read.selectFrom('knowledge_sources').select('id').execute());
    t.equal(left.length, 1 + 5, 'the last one, and the texts');
    t.same(instance.faults, []);
  });

  await t.test('adding and deleting without end waits for the deletion', async (t) => {
    await instance.inStore((store) =>
      store.write(async ({ db }) => {
        const [row] = await db.selectFrom('knowledge_sources').selectAll().limit(1).execute();
        if (!row) throw new Error('There is no source.');
        const { seq: _, ...copy } = row;
        for (let at = 0; at < 200; at += 1) {
          const id = Buffer.alloc(16, 0xee);
          id.writeUInt32BE(at);
          await db
            .insertInto('knowledge_sources')
            .values({ ...copy, id, queued_at: null, removed_at: 1 })
            .execute();
        }
      }),
    );
    const refused = await library.ask('POST', '/v1/knowledge/sources', { kind: 'text', body: 'One more.' });
    t.same([refused.status, refused.headers.get('retry-after')], [503, '120']);
    t.match(await refused.json(), { error: 'overloaded' });
    await instance.daemon.jobs.runAll();
    await instance.daemon.jobs.runAll();
    await instance.daemon.jobs.runAll();
    await instance.daemon.jobs.runAll();
    t.match(await library.addAndSettle({ kind: 'text', body: 'One more.' }), { status: 'ready' });
    t.same(instance.faults, []);
  });
});
