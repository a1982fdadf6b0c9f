import t from 'tap';
import { decodeDocument } from '../../../src/documents/charset.ts';
import { resolveLink } from '../../../src/documents/links.ts';
import { readPdf } from '../../../src/documents/pdf.ts';
import { readDocument } from '../../../src/documents/read-document.ts';
import { readRobotsRules } from '../../../src/documents/robots-rules.ts';
import { readSitemap } from '../../../src/documents/sitemap.ts';
import { processorMs } from '../../harness/processor-ms.ts';

const readHtml = async (html: string) => {
  const source = {
    octets: Buffer.from(html),
    mediaType: 'text/html',
    charset: 'utf-8',
    url: 'https://site.test/dir/page',
  };
  const read = await readDocument(source);
  if (read.kind !== 'read') throw new Error(read.reason);
  return read;
};

const TEXT =
  'What the page is about stands here, in a paragraph that is long enough, with commas, and a full stop. '.repeat(2);

t.test('the main content as Markdown', async (t) => {
  const { title, text, links } = await readHtml(`<!doctype html><title> A  page </title>
    <header><nav><a href="/menu">Menu</a></nav></header><div class="cookie-banner">We use cookies</div>
    <main><h1>A page</h1><p>${TEXT}<a href="../up#x">up</a> <b>bold</b>&amp;c<br>next</p>
    <ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol><li>first<li>second</ol>
    <table><tr><th>Name</th><th>Price</th></tr><tr><td>Tea | green</td><td>3</td></tr></table>
    <pre><code>a  = 1\n\nb</code></pre><blockquote><p>Quoted.</p></blockquote>
    <img src=x alt="A chart"><script>alert(1)</script><p hidden>hidden</p></main><footer>Imprint</footer>`);
  t.equal(title, 'A page');
  t.equal(
    text,
    [
      '# A page',
      `${TEXT.trim()} [up](https://site.test/up) bold&c\nnext`.replace('stop. [up]', 'stop. [up]'),
      '- one\n  - inner\n- two',
      '1. first\n2. second',
      '| Name | Price |\n| --- | --- |\n| Tea \\| green | 3 |',
      '```\na  = 1\n\nb\n```',
      '> Quoted.',
      '[A chart]',
    ].join('\n\n'),
  );
  t.same(links, ['https://site.test/menu', 'https://site.test/up']);
});

t.test('without a main element, what stands around the content is left out', async (t) => {
  const menu = `<ul class="list">${'<li><a href="/x">A link of the menu</a></li>'.repeat(20)}</ul>`;
  const { text } = await readHtml(
    `<body><div id="sidebar"><p>Side</p></div>${menu}<div><div><p>${TEXT}</p><p>${TEXT}</p></div></div><div class="footer">Foot</div>`,
  );
  t.equal(text, `${TEXT.trim()}\n\n${TEXT.trim()}`);
  const notice = (attribute: string) =>
    `<div role="region" aria-label="Cookie Consent" ${attribute}><p>We use cookies</p></div>`;
  const consent = await readHtml(`<body>${notice('')}${notice('hidden')}<div><p>${TEXT}</p><p>${TEXT}</p></div>`);
  t.equal(consent.text, text);
  const only = await readHtml(`<body>${menu}</body>`);
  t.match(only.text, /A link of the menu/, 'a page of links alone keeps them');
});

t.test('a form around the whole page is no form to fill in', async (t) => {
  const form = (inside: string) => `<body><form id="aspnetForm"><input type="hidden">${inside}</form></body>`;
  t.equal((await readHtml(form(`<nav>Menu</nav><div><p>${TEXT}</p></div>`))).text, TEXT.trim());
  t.equal((await readHtml(form(`<main><p>${TEXT}</p></main>`))).text, TEXT.trim());
  t.equal((await readHtml(`<main><p>${TEXT}</p><form><p>Your address</p></form></main>`)).text, TEXT.trim());
});

t.test('tables keep what their cells span, their links and their caption', async (t) => {
  const table = `<caption>Prices in EUR</caption><tr><th>Plan<th colspan=2>Cost<tr><td rowspan=2><a href="/pro">Pro</a>
    <td>10<td>100<tr><td>20<td>200`;
  const { text } = await readHtml(`<main><p>${TEXT}</p><table>${table}</table></main>`);
  const rows = ['| Plan | Cost | Cost |', '| --- | --- | --- |'];
  const pro = '| [Pro](https://site.test/pro) |';
  t.equal(text, `${TEXT.trim()}\n\nPrices in EUR\n\n${[...rows, `${pro} 10 | 100 |`, `${pro} 20 | 200 |`].join('\n')}`);
  const wide = `<table>${'<tr><td rowspan=65534 colspan=1000>x<td>y'.repeat(20_000)}</table>`;
  const began = processorMs();
  await readHtml(wide);
  t.ok(processorMs() - began < 5_000, 'spans are bounded');
});

t.test('blanks within code take bounded time', async (t) => {
  const began = processorMs();
  await readHtml(`<main><p>${TEXT}</p><pre>a${' '.repeat(60_000)}b</pre></main>`);
  t.ok(processorMs() - began < 1_000);
});

t.test('lists and struck text', async (t) => {
  const { text } = await readHtml(`<main><p>${TEXT}</p><ol start=3><li>three<li>four</ol><p><s>100</s> 80</main>`);
  t.equal(text, `${TEXT.trim()}\n\n3. three\n4. four\n\n~~100~~ 80`);
});

t.test('pages of documentation as their generators write them', async (t) => {
  const shown = async (inside: string) => {
    const { text } = await readHtml(`<main><p>${TEXT}</p>${inside}</main>`);
    return text.slice(TEXT.trim().length + 2);
  };
  const line = (code: string) => `<div class="ec-line"><div class="code">${code}</div></div>`;
  const code = ['<span>if</span> (a) {', '\n', '  run();', '}'].map(line).join('');
  t.equal(await shown(`<pre><code>${code}</code></pre>`), '```\nif (a) {\n\n  run();\n}\n```', 'Starlight');
  const numbered = `<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>
    <td class="code"><pre><code>def f():\n  return 1\n</code></pre></td></tr></table>`;
  t.equal(await shown(numbered), '```\ndef f():\n  return 1\n```', 'Sphinx and MkDocs');
  const heading = '<h2 id="a">Set up<a class="headerlink" href="#a">¶</a></h2><h3><a href="#b">Run</a></h3>';
  t.equal(await shown(heading), '## Set up\n\n### Run', 'without the signs that link to them');
  const tab = (text: string, attribute = '') => `<div role="tabpanel" ${attribute}>${text}</div>`;
  const tabs = `<button>npm</button><button>yarn</button>${tab('npm i x')}${tab('yarn add x', 'hidden')}`;
  t.equal(await shown(tabs), 'npm i x\n\nyarn add x', 'each tab');
  const folded = '<details><summary>More</summary><div style="display:none;height:0">Folded.</div></details>';
  t.equal(await shown(folded), 'More\n\nFolded.', 'Docusaurus');
  const question =
    '<h3><button aria-expanded="false">How to pay?</button></h3><div role="region" hidden>By card.</div>';
  t.equal(await shown(question), '### How to pay?\n\nBy card.');
  t.equal(await shown('<h3>Pay <button>Copy</button></h3><div hidden>Gone</div>'), '### Pay');
});

t.test('robots fields and base', async (t) => {
  const page = await readHtml(
    '<base href="https://site.test/other/"><meta name=robots content="noindex"><a href="a">a</a><a rel="nofollow" href="b">b</a><p>x',
  );
  t.match(page, { isUnindexed: true, links: ['https://site.test/other/a'] });
  t.same((await readHtml('<meta name="ROBOTS" content="none"><a href="a">a</a>')).links, []);
  const refresh = `<meta http-equiv="Refresh" content="0; url='/en/'"><meta http-equiv="refresh" content="30">`;
  t.same((await readHtml(refresh)).links, ['https://site.test/en/'], 'as static sites lead on');
});

t.test('Markdown: its links are followed, also where a store of files does not know it', async (t) => {
  const text = '# Docs\n\n- [One](/one.md): first\n- ![a](img.png) [Two](<https://site.test/two> "x") [None](#here)';
  for (const mediaType of ['text/markdown', 'text/plain', 'binary/octet-stream']) {
    const source = { octets: Buffer.from(text), mediaType, charset: null, url: 'https://site.test/llms.txt' };
    const links = ['one.md', 'img.png', 'two'].map((path) => `https://site.test/${path}`);
    t.match(await readDocument(source), { kind: 'read', title: 'Docs', links }, mediaType);
  }
  const binary = {
    octets: Buffer.alloc(100),
    mediaType: 'binary/octet-stream',
    charset: null,
    url: 'https://site.test/x',
  };
  t.match(await readDocument(binary), { kind: 'unreadable' });
});

t.test('hostile HTML takes linear time and little depth', async (t) => {
  const began = processorMs();
  t.match(await readHtml(`${'<div>'.repeat(100_000)}pit`), { text: 'pit' });
  t.match((await readHtml(`${'<b><i><table><td>'.repeat(30_000)}x`)).text, /x/);
  t.match((await readHtml(`<p>${'<'.repeat(500_000)}`)).kind, 'read');
  t.match((await readHtml(`<a ${'a=b '.repeat(200_000)}>x</a>`)).text, /x/);
  t.match((await readHtml(`<ul>${'<li><ul>'.repeat(20_000)}deep`)).text, /deep/);
  t.match((await readHtml(`${'<div>'.repeat(300_000)}deep${'</div>'.repeat(300_000)}after`)).text, /deep.*after/s);
  t.match((await readHtml(`<!--${'-'.repeat(500_000)}`)).kind, 'read');
  t.ok(processorMs() - began < 20_000, 'seconds, on a machine that does much else');
  const many = await readHtml('<p>word</p>'.repeat(300_000));
  t.match(many, { isCut: true });
  t.ok(many.text.length <= 500_000);
});

t.test('charsets', (t) => {
  const octets = Buffer.from('caf\xe9', 'latin1');
  t.equal(decodeDocument(octets, null), 'café', 'windows-1252 where it is no UTF-8');
  t.equal(decodeDocument(Buffer.from('café'), null), 'café');
  t.equal(decodeDocument(Buffer.from('\ufeffcafé'), 'iso-8859-1'), 'café', 'a byte order mark goes first');
  t.equal(decodeDocument(octets, 'no-such-charset'), 'café');
  t.equal(decodeDocument(Buffer.from('<?xml version="1.0" encoding="iso-8859-5"?>\xb0', 'latin1'), null).at(-1), 'А');
  t.equal(decodeDocument(Buffer.from('don\x92t \x80', 'latin1'), 'ISO-8859-1'), 'don’t €', 'as browsers read it');
  t.equal(decodeDocument(Buffer.from('café'), 'us-ascii'), 'café', 'a label that programs give without a look');
  t.equal(decodeDocument(Buffer.from('+ADw-script+AD4-'), 'utf-7'), '+ADw-script+AD4-');
  t.equal(decodeDocument(Buffer.from('<meta charset=utf-16>ok'), null), '<meta charset=utf-16>ok');
  const late = `<meta name="x" content="${'x'.repeat(2_000)}"><meta charset="gbk">`;
  t.equal(decodeDocument(Buffer.from(`${late}\xd6\xd0`, 'latin1'), null), `${late}中`, 'behind what stands before it');
  t.end();
});

t.test('links', (t) => {
  const base = new URL('https://site.test/a/b');
  t.equal(resolveLink('../c?x=1#y', base), 'https://site.test/c?x=1');
  for (const none of [
    '#x',
    '',
    'mailto:a@b.test',
    'javascript:x',
    'http://',
    'https://u:p@site.test/',
    `/${'x'.repeat(2_000)}`,
  ]) {
    t.equal(resolveLink(none, base), null, none.slice(0, 30));
  }
  t.end();
});

t.test('sitemaps and robots.txt', (t) => {
  t.same(
    readSitemap(
      Buffer.from(
        '<urlset xmlns:x="y"><url><loc> https://s.test/?a=1&amp;b=2 </loc></url><url><loc>nonsense</loc></url></urlset>',
      ),
    ),
    {
      pages: ['https://s.test/?a=1&b=2'],
      sitemaps: [],
    },
  );
  t.same(readSitemap(Buffer.from('https://s.test/1\nx\nhttps://s.test/1#a')).pages, ['https://s.test/1']);
  t.equal(
    readSitemap(
      Buffer.from(
        `<urlset>${Array.from({ length: 9_000 }, (_, n) => `<url><loc>https://s.test/${n}</loc></url>`).join('')}`,
      ),
    ).pages.length,
    5_000,
  );
  const rules = readRobotsRules(
    'User-agent: *\nDisallow: /\n\nUser-agent: Postroom\nAllow: /a\nDisallow: /a/b\nCrawl-delay: 2\nSitemap: https://s.test/m.xml',
    'https://s.test',
  );
  t.ok(rules.isAllowed('https://s.test/a/c'));
  t.notOk(rules.isAllowed('https://s.test/a/b/c'));
  t.match(rules, { crawlDelaySeconds: 2, sitemaps: ['https://s.test/m.xml'] });
  t.ok(readRobotsRules(null, 'https://s.test').isAllowed('https://s.test/'));
  t.end();
});

t.test('a damaged PDF is read without a line of output', async (t) => {
  const objects = [
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj',
    '4 0 obj<</Length 30>>stream\nBT /F 9 Tf (Hello) Tj ET      \nendstream endobj',
    '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
  ];
  const printed: unknown[] = [];
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    const print = console[method];
    console[method] = (...words) => printed.push(words);
    t.teardown(() => {
      console[method] = print;
    });
  }
  const { text } = await readPdf(Buffer.from(`%PDF-1.4\n${objects.join('\n')}\ntrailer<</Root 1 0 R>>`));
  t.equal(text, 'Hello');
  t.same(printed, []);
});
