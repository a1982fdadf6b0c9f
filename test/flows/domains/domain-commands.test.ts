/** `postroom domains` and `postroom dns`, and a zone file as BIND reads it. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { formatZone } from '../../../src/domains/zone-file.ts';
import { domainsContract } from '../../../src/resources/domains/contract.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { addDomain, type DomainReply, publish } from '../../harness/domains.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator, operatorRefusal } from '../../harness/operator.ts';

const instance = await startInstance();
t.teardown(() => instance[Symbol.asyncDispose]());
const { zone } = instance.dns;
const cli = (...args: string[]) => runCli(instance.configPath, ...args);
const DOMAIN = 'shop.example';

/** Has named-checkzone load a file and print it again. */
const checkZone = (name: string, text: string): string => {
  const file = join(instance.directory, 'zone');
  writeFileSync(file, text);
  try {
    return execFileSync('named-checkzone', ['-D', '-q', '-i', 'local', name, file], {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
      encoding: 'utf8',
    });
  } catch (error) {
    throw new Error('named-checkzone (scripts/test-deps installs it)', { cause: error });
  }
};

t.test('add, check, verify, rotate, remove', async (t) => {
  const added = (await cliJson(
    instance.configPath,
    'domains',
    'add',
    DOMAIN,
    '--workspace',
    'acme',
  )) as unknown as DomainReply;
  t.match(added, { domain: DOMAIN, kind: 'custom', status: 'pending', can_send: false, dkim_records_pending: false });
  t.match((await cli('domains', 'add', DOMAIN, '--workspace', 'acme')).stdout, /acme has shop\.example already/);
  const bad = await cli('domains', 'add', 'co.uk', '--workspace', 'acme', '--json');
  t.equal(bad.code, 1);
  t.match(JSON.parse(bad.stderr), { error: 'invalid_domain', hint: /public suffix/ });

  const missing = await cli('dns', 'check', DOMAIN);
  t.equal(missing.code, 1);
  t.match(missing.stdout, /missing +MX +shop\.example/);
  t.match(missing.stdout, /missing +TXT +pr2\._domainkey\.shop\.example +next /);
  t.match(missing.stdout, /TXT pr2\._domainkey\.shop\.example: missing\n/, 'required of a pending domain');
  t.match(missing.stdout, /wanted: 10 mx\.box\.test\n {2}found: {2}nothing\n {2}Publish this MX record/);
  const unproved = await cli('domains', 'verify', DOMAIN);
  t.equal(unproved.code, 1);
  t.match(unproved.stdout, /_smtp\._tls\.shop\.example \(optional\): Publish this TLS-RPT record/);
  t.ok(
    unproved.stdout.split('\n').every((line) => line.length < 250),
    'keys are cut',
  );

  publish(zone, added.records);
  zone.set(DOMAIN, 'TXT', ['v=spf1 mx:elsewhere.example -all']);
  const wrong = await cli('dns', 'check', DOMAIN);
  t.equal(wrong.code, 1);
  t.match(wrong.stdout, /found: {2}v=spf1 mx:elsewhere\.example -all\n {2}The SPF record does not permit/);
  publish(zone, added.records);
  const checked = await cli('dns', 'check', DOMAIN);
  t.equal(checked.code, 0, checked.stdout);
  t.match(checked.stdout, /Every required record is found\.|Every record that mail depends on is found\./);
  const host = await cli('dns', 'check', 'MX.box.test.');
  t.match([host.code, host.stderr], [2, /the host itself, .*: postroom doctor/]);
  const { domains } = await cliJson(instance.configPath, 'domains', 'list', '--workspace', 'acme');
  const listed = (domains as DomainReply[]).find(({ domain }) => domain === DOMAIN);
  t.match(listed, { status: 'verified', can_send: true }, 'what a check finds whole is verified everywhere');
  t.match((await instance.events()).at(-1), { name: 'domain.verified', data: { domain: DOMAIN } });

  const verified = await cliJson(instance.configPath, 'domains', 'verify', DOMAIN);
  t.match(verified, { status: 'verified', can_send: true });
  const rotated = await cli('domains', 'rotate-dkim', DOMAIN);
  t.match([rotated.code, rotated.stdout], [0, /pr3\._domainkey\.shop\.example +next /]);
  t.match(rotated.stdout, /pr1\._domainkey\.shop\.example +retiring /);
  t.ok(rotated.stdout.split('\n').every((line) => line.length < 250));
  const refused = await cli('domains', 'rotate-dkim', DOMAIN);
  t.match([refused.code, refused.stderr], [1, /not found at pr3\._domainkey\.shop\.example/]);
  const later = await cli('dns', 'check', DOMAIN);
  t.equal(later.code, 0, 'no mail depends on the new next key');
  t.match(later.stdout, /TXT pr3\._domainkey\.shop\.example: missing \(for the next rotation\)/);
  t.match(later.stdout, /mail depends on is found\. Publish pr3\._domainkey\.shop\.example before the next rotation/);
  t.match(await cliJson(instance.configPath, 'dns', 'check', DOMAIN), { status: 'verified', sufficient: true });
  t.equal((await cli('domains', 'verify', DOMAIN)).code, 0);

  t.equal((await cli('domains', 'remove', DOMAIN)).code, 2, 'it asks');
  t.match(await cliJson(instance.configPath, 'domains', 'remove', DOMAIN, '--yes'), { domain: DOMAIN, removed: true });
  const gone = await cli('dns', 'check', DOMAIN);
  t.match([gone.code, gone.stderr], [1, /no domain of this instance/]);
  const own = await cli('domains', 'remove', 'acme.agents.box.test', '--yes', '--json');
  t.match([own.code, JSON.parse(own.stderr)], [1, { error: 'subdomain_not_removable' }]);
  t.match((await cli('domains', 'remove', 'agents.box.test', '--yes')).stderr, /base domain of the instance/);
});

t.test('a domain that several have pending is named with its workspace', async (t) => {
  const other = await instance.addWorkspace('Other');
  await addDomain(instance, instance.agents.ann, 'both.example');
  await cliJson(instance.configPath, 'domains', 'add', 'both.example', '--workspace', other.slug);
  t.match(
    (await cli('dns', 'check', 'both.example')).stderr,
    /add --workspace with one of these:\n {2}acme {2}Acme {2}\S+\n {2}other {2}Other {2}\S+$/m,
  );
  const refusal = await operatorRefusal(instance, (call) => call(domainsContract.verify, { domain: 'both.example' }));
  t.equal(refusal.code, 'domain_ambiguous');
  const one = await cli('dns', 'check', 'both.example', '--workspace', other.slug, '--json');
  t.match([one.code, JSON.parse(one.stdout)], [1, { domain: 'both.example' }]);
});

t.test('the zone file loads in BIND, whole and within another', async (t) => {
  const soa = `@ 3600 IN SOA ns.other.example. hostmaster.other.example. 1 2 3 4 5\n@ 3600 IN NS ns.other.example.\n`;
  for (const domain of ['agents.box.test', 'acme.agents.box.test', 'both.example']) {
    const { records, hostname } = await asOperator(instance, (call) =>
      call(domainsContract.records, { domain, ...(domain === 'both.example' && { workspace: 'acme' }) }),
    );
    const format = (isWholeZone: boolean) => formatZone(records, { domain, hostname, isWholeZone });
    const texts = [format(true), soa + format(false)];
    if (domain === 'agents.box.test') {
      const show = (...more: string[]) => cli('dns', 'show', domain, '--format', 'zone', ...more);
      t.same(
        [(await show('--whole-zone')).stdout, soa + (await show()).stdout],
        texts.map((text) => `${text}\n`),
      );
    }
    for (const text of texts) {
      const loaded = checkZone(domain, text);
      for (const { type, name } of records) t.match(loaded, new RegExp(`${name}\\.\\s+3600\\s+IN\\s+${type}\\s`));
      const strings = [...loaded.matchAll(/IN TXT\s+(.*)/g)].map(([, data = '']) =>
        [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = '']) => part.replace(/\\(.)/g, '$1')),
      );
      t.ok(strings.flat().every((part) => part.length <= 255));
      t.same(
        strings.map((parts) => parts.join('')).sort(),
        records
          .filter(({ type }) => type === 'TXT')
          .map(({ value }) => value)
          .sort(),
      );
    }
  }
  t.equal((await cli('dns', 'show', 'agents.box.test', '--format', 'yaml')).code, 2);
  t.match(
    (await cli('dns', 'show', 'agents.box.test')).stdout,
    /^TYPE +NAME +ROLE +VALUE\n(?:.*\n)*Optional: TXT _smtp\._tls\.agents\.box\.test/,
  );
});

t.test('the subdomain of a removed workspace is found no more, and its name is not given again', async (t) => {
  const { slug } = await instance.addWorkspace('Ended');
  const domain = `${slug}.agents.box.test`;
  const names = async () =>
    ((await cliJson(instance.configPath, 'domains', 'list')).domains as DomainReply[]).map((each) => each.domain);
  t.ok((await names()).includes(domain));
  const table = (await cli('domains', 'list')).stdout;
  t.match(table, /^DOMAIN +WORKSPACE +KIND/);
  t.match(table, /\nagents\.box\.test +- +base/);
  t.match(table, new RegExp(`\\n${domain} +${slug} +subdomain`));
  t.equal((await cli('workspaces', 'remove', slug, '--yes')).code, 0);
  t.notOk((await names()).includes(domain));
  for (const args of [
    ['dns', 'show', domain],
    ['dns', 'check', domain],
    ['domains', 'verify', domain],
    ['domains', 'rotate-dkim', domain],
  ]) {
    t.match(await cli(...args), { code: 1, stderr: /is no domain of this instance/ }, args.join(' '));
  }
  const again = await cliJson(instance.configPath, 'workspaces', 'add', 'Ended', '--owner', 'e@remote.test');
  t.equal(again.slug, `${slug}-2`);
  const reserved = await cliJson(instance.configPath, 'workspaces', 'add', 'mta-sts', '--owner', 'e@remote.test');
  t.equal(reserved.slug, 'mta-sts-2');
});
