import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { routes } from '../../../src/client/operations.ts';
import { launchChromium, NARROWEST, sidewaysScroll } from '../../harness/http/chromium.ts';
import { startInstance } from '../../harness/instance.ts';
import { connectMcp } from '../../harness/mcp/mcp-client.ts';

/** Characters / 4, of what every agent reads first. */
const MAX_SKILL_TOKENS = 600;
const FOLDER = new URL('../../../src/docs/', import.meta.url);

t.test('agents are told how to begin, and where everything is', async (t) => {
  await using instance = await startInstance();
  const read = async (path: string): Promise<string> => {
    const reply = await fetch(new URL(path, instance.baseUrl));
    t.equal(reply.status, 200, path);
    return reply.text();
  };
  const links = [...(await read('/llms.txt')).matchAll(/\]\((http[^)]+)\)/g)].map(([, url = '']) => url);
  t.ok(links.length > 10);
  for (const link of links) t.equal((await fetch(link)).status, 200, link);
  const skill = await read('/skill.md');
  t.notMatch(skill, /\{\{/);
  t.ok(skill.length / 4 < MAX_SKILL_TOKENS, `${skill.length / 4} tokens`);
  for (const link of skill.match(/\/(?:openapi\.json|docs|llms)[\w./?=]*\w/g) ?? []) await read(link);
  const { tools } = await (await connectMcp(instance, instance.agents.ann, '?tools=core')).client.listTools();
  const named = [...skill.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = '']) => name);
  const others = ['idempotency_key', 'next_cursor'];
  const core = tools.map(({ name }) => name);
  t.same(
    named.filter((name) => !core.includes(name) && !others.includes(name)),
    [],
    'its tools are in the core set',
  );
  const pages = globSync('**/*.md', { cwd: FOLDER }).map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
  const paths = [skill, ...pages].flatMap((page) =>
    [...page.matchAll(/\b(GET|POST|PATCH|DELETE)\s(\/v1\/[\w/{}-]+)/g)].map(([, method = '', path = '']) => ({
      method,
      path: path.replaceAll(/\{\w+\}/g, 'ID'),
    })),
  );
  t.ok(paths.length > 50);
  const { paths: known } = JSON.parse(await read('/openapi.json')) as { paths: Record<string, Record<string, object>> };
  const operations = Object.entries(known).flatMap(([path, of]) =>
    Object.keys(of).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'ID')}`),
  );
  // The endpoint of OpenAI's form, not ours.
  operations.push('POST /v1/embeddings');
  for (const { method, path } of paths) t.ok(operations.includes(`${method} ${path}`), `${method} ${path}`);
});

t.test('the page of the typed client lists its functions', (t) => {
  const page = readFileSync(new URL('clients/client.md', FOLDER), 'utf8');
  for (const [noun, functions] of Object.entries(routes)) {
    const names = Object.keys(functions).map((name) => `\`${name}\``);
    if (names.length > 0) t.ok(page.includes(`| \`${noun}\` | ${names.join(' ')} |`), noun);
  }
  t.end();
});

t.test('every page is reached from the index, and every link between pages leads to one', async (t) => {
  await using instance = await startInstance();
  const linksOf = (html: string) => [...html.matchAll(/href="(\/docs\/[^"]+)/g)].map(([, path = '']) => path);
  const read = async (path: string) => {
    const reply = await fetch(new URL(path, instance.baseUrl));
    t.equal(reply.status, 200, path);
    return reply.text();
  };
  const listed = linksOf(await read('/docs')).filter((path) => !path.endsWith('.css'));
  listed.sort();
  const files = ['', 'clients/', 'operate/'].flatMap((folder) => readdirSync(new URL(folder, FOLDER)));
  t.same(
    listed,
    files
      .filter((file) => file.endsWith('.md'))
      .map((file) => `/docs/${file.slice(0, -3)}`)
      .sort(),
  );
  for (const page of listed) {
    const html = await read(page);
    const own = [...html.matchAll(/href="(#[^"]+)"/g)].map(([, heading = '']) => page + heading);
    const sections = [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => `${page}#${id}`);
    if (sections.length > 4) t.same(own.slice(0, sections.length), sections, `${page} lists its sections`);
    for (const link of [...linksOf(html), ...own]) {
      const [path = '', heading] = link.split('#');
      const led = path === page ? html : await read(path);
      if (heading !== undefined) t.ok(led.includes(` id="${heading}"`), `${page} links to ${link}`);
    }
    // One relative to the page leads to the Markdown.
    t.notMatch(html, /href="(?!\/|#|https:)/, page);
  }
});

t.test('no page scrolls sideways on a phone, and no table of two columns', async (t) => {
  await using instance = await startInstance();
  await using chromium = await launchChromium();
  const { page } = await chromium.open({ viewport: NARROWEST });
  const pages = globSync('{.,clients,operate}/*.md', { cwd: FOLDER }).map((file) => file.replace(/^.*\/|\.md$/g, ''));
  for (const name of pages) {
    await page.goto(new URL(`/docs/${name}`, instance.baseUrl).href);
    t.equal(await sidewaysScroll(page), 0, name);
    const wide = await page.$$eval('table:not(:has(th:nth-child(3)))', (tables) =>
      tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ innerText }) => innerText),
    );
    t.same(wide, [], name);
    const heads = await page.$$eval('thead', (all) => all.filter((head) => head.clientHeight > 0 && !head.innerText));
    t.equal(heads.length, 0, 'a head without words is not shown');
  }
});

t.test('the examples run as they stand', async (t) => {
  await using instance = await startInstance({ outbound: 'local_only = true' });
  const block = (language: string, page = 'clients/examples.md'): string => {
    const text = readFileSync(new URL(page, FOLDER), 'utf8');
    return new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text)?.[1] ?? '';
  };
  const { ann, bob } = instance.agents;
  const run = (file: string, args: string[], TO = bob.address): Promise<string> =>
    new Promise((done, fail) => {
      const env = { PATH: process.env.PATH, POSTROOM_URL: instance.baseUrl, POSTROOM_API_KEY: ann.key, TO };
      execFile(file, args, { env }, (error, stdout) => (error ? fail(error) : done(stdout)));
    });
  t.match(await run('sh', ['-c', block('sh')]), /"status":"sent".*"messages":/s);
  t.match(await run('sh', ['-c', block('sh', 'webhooks.md')]), /"secret":"whsec_/);
  t.match(await run('/usr/bin/python3', ['-c', block('python')]), /^sent \n/);
  t.match(await run('/usr/bin/python3', ['-c', block('python')], 'carol@remote.test'), /^rejected local_mode\n/);
});

t.test('the dashboard and the alerts ask for metrics that there are', async (t) => {
  await using instance = await startInstance();
  const { private_listen: at } = instance.config.http;
  const metrics = await (await fetch(`http://${at.host}:${at.port}/metrics`)).text();
  const texts = ['files/grafana-dashboard.json', 'operating.md'].map((file) =>
    readFileSync(new URL(file, FOLDER), 'utf8'),
  );
  const asked = new Set(texts.flatMap((text) => text.match(/\bpostroom_\w*[a-z]\b/g) ?? []));
  t.ok(asked.size > 8);
  for (const outcome of ['bounced', 'deferred', 'refused']) {
    t.ok(metrics.includes(`postroom_mail_total{outcome="${outcome}",reason="reputation"} 0`), 'from the start');
  }
  const alerts = /^# Alerts for Prometheus\n([\s\S]*?)^```/m.exec(texts[1] ?? '')?.[1] ?? '';
  const rules = alerts.split('      - alert: ').slice(1);
  t.ok(rules.length > 5);
  // A flow mapping would end at the braces of a selector: promtool refuses it.
  for (const rule of rules) t.match(rule, /^\w+\n {8}expr: [^'"{\n][^\n]+\n(?: {8}for: \w+\n)?$/);
  // There is none without TLS.
  asked.delete('postroom_certificate_expiry_seconds');
  for (const name of asked) t.ok(metrics.includes(`# TYPE ${name} `), name);
});

t.test('the docs are served as pages and as Markdown, and link to nothing that is not there', async (t) => {
  await using instance = await startInstance();
  const get = (path: string) => fetch(new URL(path, instance.baseUrl));
  const index = await get('/docs');
  t.equal(index.status, 200);
  t.match(index.headers.get('content-security-policy'), /default-src 'none'.*img-src 'self'/, 'its icon is let in');
  const links = [...(await index.text()).matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '');
  for (const path of ['/openapi.json', '/skill.md']) t.ok(links.includes(path), `${path} is named`);
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.md'))) {
    const name = file.replace(/\.md$/, '');
    t.ok(links.includes(`/docs/${name}`), `${name} is listed`);
    const page = await get(`/docs/${name}`);
    t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    for (const [, href = ''] of (await page.text()).matchAll(/href="(\/[^"#]*)/g)) {
      t.equal((await get(href)).status, 200, `${name} links to ${href}`);
    }
    const source = await get(`/docs/${file}`);
    t.equal(source.headers.get('content-type'), 'text/markdown; charset=utf-8');
    t.equal(await source.text(), readFileSync(new URL(file, FOLDER), 'utf8'));
  }
  for (const [path, status] of [
    ['/', 200],
    ['/docs/nothing', 404],
    ['/nothing-there', 404],
  ] as const) {
    const page = await fetch(new URL(path, instance.baseUrl), { headers: { accept: 'text/html,*/*;q=0.8' } });
    t.same([page.status, page.headers.get('content-type')], [status, 'text/html; charset=utf-8'], path);
    const shown = await page.text();
    for (const link of ['href="/docs"', 'href="/console/sign-in"']) t.ok(shown.includes(link), `${path}: ${link}`);
  }
  t.equal((await get('/docs/')).status, 200);
  t.match(await (await get('/docs/signup')).text(), /href="\/docs"/);
  const ofApi = await fetch(new URL('/v1/nothing', instance.baseUrl), { headers: { accept: 'text/html' } });
  t.match(await ofApi.json(), { error: 'route_not_found' }, 'paths of the API answer programs');
  for (const path of ['/docs/nothing', '/docs/..%2f..%2fpackage.json', '/docs/docs.ts']) {
    const missing = await get(path);
    t.equal(missing.status, 404, path);
    t.match(await missing.json(), { error: 'route_not_found' });
  }
});
