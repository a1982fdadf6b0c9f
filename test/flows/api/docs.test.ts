import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { startInstance } from '../../harness/instance.ts';

const FOLDER = new URL('../../../src/docs/', import.meta.url);

t.test('the docs are served as pages and as Markdown, and link to nothing that is not there', async (t) => {
  await using instance = await startInstance();
  const get = (path: string) => fetch(new URL(path, instance.baseUrl));
  const index = await get('/docs');
  t.equal(index.status, 200);
  t.match(index.headers.get('content-security-policy'), /default-src 'none'/);
  const links = [...(await index.text()).matchAll(/href="([^"]+)"/g)].map(([, href]) => href ?? '');
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
