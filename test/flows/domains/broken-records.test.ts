/** Each kind of a wrong record, on a real DNS server, is shown as what it is. */

import t from 'tap';
import { addDomain, type DomainReply, publish, recordOf, request, verifyDomain } from '../../harness/domains.ts';
import { HOSTNAME, startInstance } from '../../harness/instance.ts';
import type { Zone } from '../../harness/net/dns.ts';

const instance = await startInstance();
t.teardown(() => instance[Symbol.asyncDispose]());
const { zone } = instance.dns;
const DOMAIN = 'x.example';
const workspace = await instance.addWorkspace('Breaking');
const other = await instance.addWorkspace('More');
const agents = [await instance.addAgent('bea', workspace), await instance.addAgent('moe', other)];
let count = 0;

const added = new Map<string, DomainReply>();
/** Two workspaces share the checks, each of which is limited. */
const check = async (): Promise<DomainReply> => {
  const agent = agents[count++ % agents.length];
  if (!agent) throw new Error('There is no agent.');
  let domain = added.get(agent.handle);
  if (!domain) {
    domain = (await addDomain(instance, agent, DOMAIN)).body;
    added.set(agent.handle, domain);
  }
  reset(domain);
  current = domain;
  broken();
  const { status, body } = await verifyDomain(instance, agent, domain.id);
  if (status !== 200) throw new Error(`The check answered ${status}: ${JSON.stringify(body)}`);
  return body;
};

let current: DomainReply | null = null;
let broken: () => void = () => {};
const of = (): DomainReply => {
  if (!current) throw new Error('There is no domain.');
  return current;
};

/** Every name that a case may have set. */
const reset = (domain: DomainReply): void => {
  const names = domain.records.map(({ name }) => name);
  for (const name of [
    ...names,
    ...names.map((each) => `${each}.${DOMAIN}`),
    `*.${DOMAIN}`,
    'mail.x.example',
    HOSTNAME,
  ]) {
    zone.delete(name);
    zone.fail(name, null);
  }
  zone.set(HOSTNAME, 'A', ['127.0.0.1']);
  publish(zone, domain.records);
};

interface Case {
  about: string;
  purpose: string;
  at?: number;
  breaks(zone: Zone, domain: DomainReply): void;
  status: string;
  hint: RegExp;
}

const CASES: Case[] = [
  {
    about: 'nothing there',
    purpose: 'dmarc',
    breaks: () => zone.delete(`_dmarc.${DOMAIN}`),
    status: 'missing',
    hint: /Publish this DMARC record at _dmarc\.x\.example/,
  },
  {
    about: 'several SPF records',
    purpose: 'spf',
    breaks: () => zone.set(DOMAIN, 'TXT', ['v=spf1 include:a.example -all', `v=spf1 a:${HOSTNAME} -all`]),
    status: 'mismatch',
    hint: /Keep a single one: v=spf1 include:a\.example a:mx\.box\.test -all/,
  },
  {
    about: 'an SPF record without us',
    purpose: 'spf',
    breaks: () => zone.set(DOMAIN, 'TXT', ['some-verification=1', 'v=spf1 ip4:192.0.2.7 ~all']),
    status: 'mismatch',
    hint: /reads: v=spf1 ip4:192\.0\.2\.7 a:mx\.box\.test ~all/,
  },
  {
    about: 'an SPF record that includes a domain without one',
    purpose: 'spf',
    breaks: () => zone.set(DOMAIN, 'TXT', [`v=spf1 include:none.example a:${HOSTNAME} -all`]),
    status: 'mismatch',
    hint: /its term include:none\.example names a domain without an SPF record.* v=spf1 a:mx\.box\.test -all$/,
  },
  {
    about: 'an SPF record that loops',
    purpose: 'spf',
    breaks: () => zone.set(DOMAIN, 'TXT', [`v=spf1 include:${DOMAIN} a:${HOSTNAME} -all`]),
    status: 'mismatch',
    hint: /10 look-ups/,
  },
  {
    about: 'a host without an address',
    purpose: 'spf',
    breaks: () => zone.delete(HOSTNAME),
    status: 'mismatch',
    hint: /no address in DNS/,
  },
  {
    about: 'a host whose address the SPF record does not name',
    purpose: 'spf',
    breaks: () => {
      zone.set(HOSTNAME, 'A', ['127.0.0.1', '127.0.0.2']);
      zone.set(DOMAIN, 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
    },
    status: 'mismatch',
    hint: /does not permit/,
  },
  {
    about: 'several DMARC records',
    purpose: 'dmarc',
    breaks: () => zone.set(`_dmarc.${DOMAIN}`, 'TXT', ['v=DMARC1; p=none', 'v=DMARC1; p=reject']),
    status: 'mismatch',
    hint: /2 DMARC records/,
  },
  {
    about: 'a key that is cut off',
    purpose: 'dkim',
    breaks: (_, domain) => {
      const { name, value } = recordOf(domain, 'dkim', 1);
      zone.set(name, 'TXT', [value.slice(0, 255)]);
    },
    at: 1,
    status: 'mismatch',
    hint: /cut off after \d+ of 392 characters/,
  },
  {
    about: 'quotes that were pasted',
    purpose: 'dkim',
    at: 1,
    breaks: (_, domain) => {
      const { name, value } = recordOf(domain, 'dkim', 1);
      zone.set(name, 'TXT', [`"${value.slice(0, 255)}" "${value.slice(255)}"`]);
    },
    status: 'mismatch',
    hint: /Remove the quotes/,
  },
  {
    about: "another workspace's key",
    purpose: 'dkim',
    at: 2,
    breaks: (_, domain) => zone.set(recordOf(domain, 'dkim', 2).name, 'TXT', [recordOf(domain, 'dkim', 1).value]),
    status: 'mismatch',
    hint: /another key/,
  },
  {
    about: 'the domain twice in a name',
    purpose: 'dkim',
    at: 1,
    breaks: (_, domain) => {
      const { name, value } = recordOf(domain, 'dkim', 1);
      zone.delete(name);
      zone.set(`${name}.${DOMAIN}`, 'TXT', [value]);
    },
    status: 'missing',
    hint: /\.x\.example\.x\.example: the DNS provider appends the domain/,
  },
  {
    about: 'a CNAME in the way',
    purpose: 'ownership',
    breaks: () => {
      zone.delete(`_postroom.${DOMAIN}`);
      zone.set(`_postroom.${DOMAIN}`, 'CNAME', ['elsewhere.example']);
    },
    status: 'mismatch',
    hint: /A CNAME at _postroom\.x\.example leads to elsewhere\.example/,
  },
  {
    about: 'a CNAME at the domain itself',
    purpose: 'mx',
    breaks: () => {
      zone.delete(DOMAIN);
      zone.set(DOMAIN, 'CNAME', ['shop.elsewhere.example']);
    },
    status: 'mismatch',
    hint: /hides every other record/,
  },
  {
    about: 'a wildcard that answers',
    purpose: 'ownership',
    breaks: () => {
      zone.delete(`_postroom.${DOMAIN}`);
      zone.set(`*.${DOMAIN}`, 'TXT', ['v=spf1 -all']);
    },
    status: 'missing',
    hint: /The wildcard record \*\.x\.example answers for _postroom/,
  },
  {
    about: 'DNSSEC that is broken',
    purpose: 'dmarc',
    breaks: () => zone.fail(`_dmarc.${DOMAIN}`, 'bogus'),
    status: 'unchecked',
    hint: /DNSSEC of _dmarc\.x\.example is broken/,
  },
  {
    about: 'a server that fails',
    purpose: 'dmarc',
    breaks: () => zone.fail(`_dmarc.${DOMAIN}`, 'SERVFAIL'),
    status: 'unchecked',
    hint: /could not be looked up \(SERVFAIL\)/,
  },
  {
    about: 'another MX beside ours',
    purpose: 'mx',
    breaks: () =>
      zone.set(DOMAIN, 'MX', [
        { exchange: HOSTNAME, priority: 10 },
        { exchange: 'mx.old.example', priority: 20 },
      ]),
    status: 'mismatch',
    hint: /Mail also goes to mx\.old\.example/,
  },
  {
    about: 'an MX through an alias',
    purpose: 'mx',
    breaks: () => {
      zone.set(DOMAIN, 'MX', [{ exchange: 'mail.x.example', priority: 10 }]);
      zone.set('mail.x.example', 'CNAME', [HOSTNAME]);
    },
    status: 'mismatch',
    hint: /an alias \(CNAME\) of mx\.box\.test/,
  },
  {
    about: 'a token of another claim',
    purpose: 'ownership',
    breaks: () => zone.set(`_postroom.${DOMAIN}`, 'TXT', ['postroom-domain=0123']),
    status: 'mismatch',
    hint: /another workspace, or of an earlier claim/,
  },
];

for (const { about, purpose, at, breaks, status, hint } of CASES) {
  t.test(about, async (t) => {
    broken = () => breaks(zone, of());
    const body = await check();
    t.match(recordOf(body, purpose, at), { status, hint });
    t.match(body, { status: 'pending', can_send: false });
  });
}

t.test('what works although it reads otherwise', async (t) => {
  broken = () => {
    const { name, value } = recordOf(of(), 'dkim', 1);
    zone.set(DOMAIN, 'MX', [{ exchange: 'MX.Box.Test', priority: 5 }]);
    zone.set(DOMAIN, 'TXT', ['v=spf1 include:spf.x.example ~all']);
    zone.set('spf.x.example', 'TXT', ['v=spf1 ip4:127.0.0.0/8 -all']);
    zone.set(`_dmarc.${DOMAIN}`, 'TXT', ['v=DMARC1;p=none; rua=mailto:dmarc@x.example']);
    zone.delete(name);
    zone.set(name, 'CNAME', ['key.dns.example']);
    zone.set('key.dns.example', 'TXT', [value.replace('p=', 'p= ')]);
    zone.fail(`_postroom.${DOMAIN}`, 'truncated');
    zone.delete(`_smtp._tls.${DOMAIN}`);
  };
  const body = await check();
  t.match(body, { status: 'verified', can_send: true, dkim_status: 'verified' });
  t.match(recordOf(body, 'dmarc').hint, /It works/);
  t.same(
    body.records.filter(({ status }) => status !== 'found').map(({ required }) => required),
    [false],
  );
  const listed = await request<{ domains: DomainReply[] }>(
    instance,
    agents[(count - 1) % 2] ?? instance.agents.ann,
    'GET',
    '/v1/domains',
  );
  t.same(
    listed.body.domains.find(({ domain }) => domain === DOMAIN)?.records,
    body.records,
    'a list shows the last check',
  );
  t.same(instance.faults, []);
});
