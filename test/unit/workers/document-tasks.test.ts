import t from 'tap';
import { documentWork } from '../../../src/workers/document-tasks.ts';

const HTTP = 'http://site.test';
const HTTPS = 'https://site.test';

const sitemapOf = (...urls: string[]): Buffer =>
  Buffer.from(`<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`);

t.test('http and https of one host are one site', async (t) => {
  const read = (origin: string, ...urls: string[]) =>
    documentWork['read-sitemap']({ octets: sitemapOf(...urls), follow: { origin, robots: 'Disallow: /no' } });
  t.match(await read(HTTPS, `${HTTP}/a`, `${HTTPS}/a`, `${HTTP}/b?c`), { pages: [`${HTTPS}/a`, `${HTTPS}/b?c`] });
  t.match(await read(HTTP, `${HTTPS}/a`), { pages: [`${HTTP}/a`] });
  const others = [`${HTTP}:8080/a`, 'http://other.test/a', 'http://www.site.test/a'];
  t.same((await read(HTTPS, ...others)).pages, [], 'another port or host is another site');
  t.same((await read(`${HTTPS}:8443`, `${HTTP}:8443/a`, `${HTTP}/a`)).pages, []);
  const html = `<p>Text</p><a href="${HTTP}/a">a</a>`;
  const source = { octets: Buffer.from(html), mediaType: 'text/html', charset: null, url: `${HTTPS}/` };
  const follow = { origin: HTTPS, robots: null };
  const page = await documentWork['read-document']({ ...source, follow, termPrefix: '' });
  t.match(page, { links: [`${HTTPS}/a`] });
});

t.test('sitemaps that robots.txt names', async (t) => {
  const lines = [`Sitemap: ${HTTP}/one.xml`, 'Sitemap: /two.xml', 'Sitemap: https://cdn.test/three.xml'];
  const read = documentWork['read-robots']({ octets: Buffer.from(lines.join('\n')), origin: HTTPS, start: HTTPS });
  t.same((await read).sitemaps, [`${HTTPS}/one.xml`, `${HTTPS}/two.xml`]);
});
