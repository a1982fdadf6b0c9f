/** What a site or a file may make long, deep or many ends at its bound. */

import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import t from 'tap';
import { elementsOf, type HtmlElement, isElement, parseHtml } from '../../../src/documents/html/html-tree.ts';
import { readPageHead } from '../../../src/documents/html/page-head.ts';
import { toMarkdown } from '../../../src/documents/html/to-markdown.ts';
import { normalizeUrl } from '../../../src/documents/links.ts';
import { openPackage, walkXml } from '../../../src/documents/office/package-parts.ts';
import { splitPassages } from '../../../src/documents/passages/split-passages.ts';
import { readSitemap } from '../../../src/documents/sitemap.ts';

const urls = (count: number) => Array.from({ length: count }, (_, at) => `https://x.test/${at}`);

t.test('sitemaps', async (t) => {
  const xml = `<urlset>${urls(6_000)
    .map((url) => `<url><loc>${url}</loc></url>`)
    .join('')}</urlset>`;
  t.equal(readSitemap(Buffer.from(xml)).pages.length, 5_000);
  t.equal(readSitemap(Buffer.from(urls(6_000).join('\n'))).pages.length, 5_000);
  t.throws(() => readSitemap(gzipSync(Buffer.alloc(11 * 2 ** 20))), { code: 'ERR_BUFFER_TOO_LARGE' });
  const late = Buffer.concat([Buffer.alloc(10 * 2 ** 20, ' '), Buffer.from('https://x.test/late')]);
  t.same(readSitemap(late).pages, []);
});

t.test('addresses, and links of a page', async (t) => {
  t.equal(normalizeUrl(`https://x.test/${'a'.repeat(1_985)}`)?.length, 2_000);
  t.equal(normalizeUrl(`https://x.test/${'a'.repeat(1_986)}`), null);
  const page = urls(2_100).map((url) => `<a href="${url}">x</a>`);
  t.equal(readPageHead(parseHtml(page.join('')), new URL('https://x.test/')).links.length, 2_000);
});

t.test('a tree of a page', async (t) => {
  const depthOf = ({ children }: HtmlElement): number => Math.max(0, ...children.filter(isElement).map(depthOf)) + 1;
  t.equal(depthOf(parseHtml(`${'<div>'.repeat(1_000)}x`)), 257);
  t.equal([...elementsOf(parseHtml('<b></b>'.repeat(400_100)))].length, 400_001);
  const [image] = parseHtml(`<img alt="${'a'.repeat(4_096)}" title=x src="${'b'.repeat(4_097)}">`).children;
  t.match(image, { attributes: { alt: 'a'.repeat(4_096), src: undefined, title: undefined } });
});

t.test('a table whose cells span many', async (t) => {
  const table = (span: number) => `<table><tr><td colspan=${span}>x</td><td>y</td></tr><tr><td>z</td></tr></table>`;
  const longest = Math.max(
    ...[10, 100, 1_000, 100_000].map((span) => toMarkdown(parseHtml(table(span)), () => null).length),
  );
  t.ok(longest < 50_000, `${longest} characters`);
  const wide = (text: string) =>
    toMarkdown(parseHtml(`<table><tr><td colspan=3>${text}</td><td>y</td></tr></table>`), () => null).split(text)
      .length - 1;
  t.same([wide('x'.repeat(100)), wide('x'.repeat(101))], [3, 1], 'a long one stands once');
});

t.test('a package of an Office document', async (t) => {
  const zip = (files: Record<string, Uint8Array>) => zipSync(files, { level: 1 });
  const open = (files: Record<string, Uint8Array>) => () => openPackage(zip(files));
  t.throws(open({ 'a.xml': new Uint8Array(33 * 2 ** 20) }), { message: 'too large unpacked' });
  t.throws(open(Object.fromEntries(urls(5_001).map((name) => [name, strToU8('x')]))), { message: 'too many parts' });
  const large = new Uint8Array(33 * 2 ** 20);
  const unread = { 'b.png': large, 'xl/pivotCache/pivotCacheRecords1.xml': large };
  t.same(openPackage(zip({ 'a.xml': strToU8('<a/>'), ...unread })).names, ['a.xml']);
  t.throws(() => walkXml('<a>'.repeat(257), {}), { message: 'too deep' });
  walkXml('<a>'.repeat(256), {});
});

t.test('the heading of a passage', async (t) => {
  const [passage] = splitPassages(`# ${'word '.repeat(100)}\n\nText of it.`);
  t.ok((passage?.heading.length ?? 1_000) <= 201);
});
