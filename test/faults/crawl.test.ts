/** A crawl that is killed, or stopped, goes on: no page that was indexed is fetched again, and none is lost. */

import t from 'tap';
import { html, startSite } from '../harness/http/site.ts';
import { createLibrarian } from '../harness/knowledge.ts';
import { startProcessBox } from '../harness/process.ts';
import { eventually } from '../harness/smtp/send-mail.ts';

const PAGES = 24;

t.test('SIGKILL and SIGTERM half-way through a site', async (t) => {
  await using harness = await startProcessBox();
  const { instance } = harness;
  await using site = await startSite(({ url = '' }) => {
    if (url === '/')
      return html(
        'Start',
        `<p>Index.</p>${Array.from({ length: PAGES }, (_, at) => `<a href="/${at}">x</a>`).join('')}`,
      );
    return /^\/\d+$/.test(url)
      ? html(`Page ${url}`, `<p>Text of page${url.slice(1)}x and what it is about.</p>`)
      : null;
  });
  const library = createLibrarian(instance);
  const { id } = await library.add({ kind: 'site', url: site.origin });
  const pagesReach = (count: number) => eventually(async () => (await library.get(id)).pages >= count, 60_000);
  await pagesReach(5);
  await harness.daemon.end('SIGKILL');
  const indexed = await instance.inStore(async ({ read }) =>
    (await read.selectFrom('knowledge_pages').select('url').where('revision', '>', 0).execute()).map(({ url }) => url),
  );
  const beforeKill = site.paths.length;
  await harness.start();
  await pagesReach(12);
  await harness.daemon.end('SIGTERM');
  await harness.start();
  const source = await library.settled(id);
  t.match(source, { status: 'ready', pages: PAGES + 1, error: null });
  const later = site.paths.slice(beforeKill).map((path) => `${site.origin}${path}`);
  t.same(
    later.filter((url) => indexed.includes(url)),
    [],
    'what was indexed before the kill is not fetched again',
  );
  const pages = await Promise.all([3, 17, 23].map((at) => library.search(`page${at}x`)));
  t.same(
    pages.map((hits) => hits.length),
    [1, 1, 1],
  );
});
