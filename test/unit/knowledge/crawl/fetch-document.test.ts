/** A crawl against DNS rebinding: each hop is resolved and checked anew, and its connection goes to what was checked. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { type Fetching, type FetchOptions, fetchDocument } from '../../../../src/knowledge/crawl/fetch-document.ts';
import { createHostRate } from '../../../../src/knowledge/crawl/host-rate.ts';
import { loadSiteRules } from '../../../../src/knowledge/crawl/site-rules.ts';
import { KNOWLEDGE_LIMITS } from '../../../../src/knowledge/knowledge-limits.ts';
import { createResolver } from '../../../../src/net/dns/resolver.ts';
import { createGuardedHttp } from '../../../../src/net/http/guarded-client.ts';
import { cidrMatcher } from '../../../../src/net/ip/address-range.ts';
import { type Site, startSite } from '../../../harness/http/site.ts';
import { RebindingZone, startDns, type Zone } from '../../../harness/net/dns.ts';

const NAME = 'site.example.com';
const [ALLOWED, PRIVATE] = ['127.0.0.1', '127.0.0.2'];

/** `/n` redirects to `/n-1`, and `/0` is a page; on the private address, the same port counts connections. */
const startWorld = async (t: Test) => {
  const site = await startSite(({ url = '' }) => {
    const left = Number(url.slice(1)) - 1;
    if (left >= 0) return { status: 302, headers: { location: `http://${NAME}:${site.port}/${left}` } };
    return { headers: { 'content-type': 'text/plain' }, body: 'inside' };
  });
  let reached = 0;
  const forbidden = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  await once(forbidden.listen(site.port, PRIVATE), 'listening');
  t.teardown(async () => {
    forbidden.close();
    await site[Symbol.asyncDispose]();
  });
  return { site, reached: () => reached };
};

const startFetching = async (t: Test, zone: Zone) => {
  const dns = await startDns(zone);
  const resolver = createResolver({ servers: [dns.server], timeoutMs: 5_000, clock: systemClock });
  const http = createGuardedHttp({ resolver, isAllowedPrivate: cidrMatcher([`${ALLOWED}/32`]), extraCa: null });
  t.teardown(async () => {
    http.close();
    await dns.close();
  });
  const fetching = {
    ...{ request: http.request, rate: createHostRate(), limits: { ...KNOWLEDGE_LIMITS, intervalMs: 0 } },
    ...{ userAgent: 'test', clock: systemClock, signal: new AbortController().signal },
  };
  return { fetching, dns };
};

const ANY: FetchOptions = { intervalMs: 0, refuseRedirect: async () => null };
const urlOf = ({ port }: Site, path: string): string => `http://${NAME}:${port}${path}`;

t.test('at every hop, the first one and each redirect', async (t) => {
  const world = await startWorld(t);
  for (let hop = 0; hop <= KNOWLEDGE_LIMITS.redirects; hop += 1) {
    // So many answers are allowed, and all later ones are not.
    const zone = new RebindingZone(NAME, ...new Array<string>(hop).fill(ALLOWED), PRIVATE);
    const { fetching, dns } = await startFetching(t, zone);
    const before = world.site.paths.length;
    const fetched = await fetchDocument(fetching, urlOf(world.site, `/${KNOWLEDGE_LIMITS.redirects}`), ANY);
    t.match(fetched, { kind: 'failed', reason: `${NAME} leads to a private address` }, `hop ${hop}`);
    t.equal(world.site.paths.length - before, hop, 'the hops before it were made');
    t.equal(dns.queries.filter(({ type }) => type === 'A').length, hop + 1, 'each hop asked once');
  }
  t.equal(world.reached(), 0);
});

t.test('the connection goes to the address that was checked', async (t) => {
  const world = await startWorld(t);
  const { fetching, dns } = await startFetching(t, new RebindingZone(NAME, ALLOWED, PRIVATE));
  t.match(await fetchDocument(fetching, urlOf(world.site, '/0'), ANY), { kind: 'document', transferred: 6 });
  t.equal(dns.queries.filter(({ type }) => type === 'A').length, 1);
  t.match(await fetchDocument(fetching, urlOf(world.site, '/0'), ANY), { kind: 'failed' }, 'the next is checked anew');
  t.equal(world.reached(), 0);
});

t.test('robots.txt, and where it redirects', async (t) => {
  const world = await startWorld(t);
  world.site.answer(({ url }) => (url === '/robots.txt' ? { status: 301, headers: { location: '/r' } } : { body: '' }));
  for (const turns of [[PRIVATE], [ALLOWED, PRIVATE]]) {
    const { fetching } = await startFetching(t, new RebindingZone(NAME, ...turns));
    const needs = { fetching, workers: { run: () => t.fail('nothing is read') as never }, quotaSubject: {} as never };
    t.match(await loadSiteRules(needs, urlOf(world.site, '/')), { kind: 'unreachable', reason: /private address/ });
  }
  t.same(world.site.paths, ['/robots.txt']);
  t.equal(world.reached(), 0);
});

t.test('one private address beside an allowed one', async (t) => {
  const world = await startWorld(t);
  const zone = new RebindingZone('other.example.com', ALLOWED);
  zone.set(NAME, 'A', [ALLOWED, PRIVATE]);
  const { fetching } = await startFetching(t, zone);
  t.match(await fetchDocument(fetching, urlOf(world.site, '/0'), ANY), { kind: 'failed', reason: /private address/ });
  t.same(world.site.paths, []);
  t.equal(world.reached(), 0);
});

t.test('a redirect from https to http of the same host is followed by https', async (t) => {
  const asked: string[] = [];
  const answerTo = ({ pathname, protocol }: URL) => {
    const location = pathname === '/a' ? `http://${NAME}/a/` : pathname === '/plain' ? `http://${NAME}/plain` : null;
    const isPage = location === null || protocol === 'http:';
    const answer = isPage ? { status: 200, headers: {} } : { status: 301, headers: { location } };
    return { ...answer, body: Buffer.from(''), truncated: false };
  };
  const request = (async ({ url }: { url: URL }) => {
    asked.push(url.href);
    return answerTo(url);
  }) as unknown as Fetching['request'];
  const { fetching } = await startFetching(t, new RebindingZone(NAME, ALLOWED));
  const fetchAs = (path: string) => fetchDocument({ ...fetching, request }, `https://${NAME}${path}`, ANY);
  t.match(await fetchAs('/a'), { kind: 'document', url: `https://${NAME}/a/` });
  t.match(
    await fetchAs('/plain'),
    { kind: 'document', url: `http://${NAME}/plain` },
    'the same page leads nowhere else',
  );
  const [page, plain] = [`https://${NAME}/a`, `https://${NAME}/plain`];
  t.same(asked, [page, `${page}/`, plain, `http://${NAME}/plain`]);
});

t.test('a pause is asked for in seconds or by a date, and bounded', async (t) => {
  const { fetching } = await startFetching(t, new RebindingZone(NAME, ALLOWED));
  const clock = { now: () => Date.UTC(2026, 11, 1) };
  const pauseFor = async (retryAfter?: string) => {
    const headers = { 'retry-after': retryAfter };
    const request = async () => ({ status: 429, headers, body: Buffer.from(''), truncated: false });
    return fetchDocument({ ...fetching, clock, request }, `https://${NAME}/`, ANY);
  };
  const { pauseMs, maxPauseMs } = KNOWLEDGE_LIMITS;
  t.match(await pauseFor('30'), { kind: 'later', afterMs: 30_000 });
  t.match(await pauseFor('Tue, 01 Dec 2026 00:00:20 GMT'), { kind: 'later', afterMs: 20_000 });
  t.match(await pauseFor('86400'), { kind: 'later', afterMs: maxPauseMs });
  t.match(await pauseFor(), { kind: 'later', afterMs: pauseMs });
});
