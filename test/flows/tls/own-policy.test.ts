/** The MTA-STS policy that the instance serves for its own domains, by the host that a request names. */

import { writeFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';
import t from 'tap';
import type { DomainName } from '../../../src/kernel/address.ts';
import type { DomainId } from '../../../src/kernel/ids.ts';
import { insertDomain } from '../../../src/store/accounts/domains.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { selfSigned } from '../../harness/net/certificate.ts';
import { digShort } from '../../harness/net/dig.ts';

interface Answer {
  status: number;
  type: string;
  body: string;
  limit: unknown;
}

/** `fetch` would not send another Host. */
const ask = (instance: TestInstance, host: string, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(instance.baseUrl);
    const path = '/.well-known/mta-sts.txt';
    const isOverTls = instance.config.tls.mode !== 'off';
    const request = isOverTls ? requestOverTls : requestPlain;
    const options = { host: '127.0.0.1', port, path, method, headers: { host } };
    request({ ...options, ...(isOverTls && { rejectUnauthorized: false }) }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => {
        const { 'content-type': type = '', 'x-ratelimit-limit': limit } = response.headers;
        resolve({ status: response.statusCode ?? 0, type, body, limit });
      });
    })
      .on('error', reject)
      .end();
  });

t.test('the base domain, subdomains and verified custom domains have a policy; no other name has', async (t) => {
  const { cert, key } = selfSigned('mx.box.test');
  const files = { cert: `${t.testdir()}/cert.pem`, key: `${t.testdirName}/key.pem` };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
  const tls = `mode = "files"\ncert_file = "${files.cert}"\nkey_file = "${files.key}"`;
  await using instance = await startInstance({ tls, toml: '[dns.server]\nlisten = ["127.0.0.1:0"]\n' });
  await instance.inStore((store) =>
    store.write(async (tx) => {
      const rest = { workspaceId: instance.workspace.id, kind: 'custom', lastCheckedAt: null } as const;
      for (const [name, status] of [
        ['verified.test', 'verified'],
        ['pending.test', 'pending'],
      ] as const) {
        const id = crypto.randomUUID() as DomainId;
        const times = { verifiedAt: null, createdAt: Date.now() };
        await insertDomain(tx, { ...rest, ...times, id, name: name as DomainName, status }, []);
      }
    }),
  );
  const policy = 'version: STSv1\r\nmode: enforce\r\nmx: mx.box.test\r\nmax_age: 604800\r\n';
  for (const host of [
    'mta-sts.agents.box.test',
    'mta-sts.acme.agents.box.test',
    'mta-sts.verified.test',
    'MTA-STS.Acme.agents.box.test:8443',
    'mta-sts.acme.agents.box.test.',
  ]) {
    t.match(await ask(instance, host), { status: 200, type: /^text\/plain/, body: policy, limit: '600' }, host);
  }
  for (const host of [
    'mta-sts.pending.test',
    'mta-sts.remote.test',
    'mta-sts.nothing.agents.box.test',
    'mta-sts.mta-sts.agents.box.test',
    'acme.agents.box.test',
    'mx.box.test',
    'mta-sts.',
    'mta-sts',
    '127.0.0.1',
    '[::1]:80',
    `mta-sts.${'a'.repeat(300)}.test`,
    'mta-sts.a_b\u00e9.test',
  ]) {
    const { status, body } = await ask(instance, host);
    t.same([status, JSON.parse(body).error], [404, 'route_not_found'], host);
  }
  t.same((await ask(instance, 'mta-sts.agents.box.test', 'POST')).status, 404);
  const server = instance.daemon.dns[0] ?? '';
  t.same(await digShort(server, 'mta-sts.acme.agents.box.test', 'A'), ['mx.box.test.']);
  t.match(await digShort(server, '_mta-sts.acme.agents.box.test', 'TXT'), [/^"v=STSv1; id=[0-9a-f]{20};"$/]);
  const shown = await cliJson(instance.configPath, 'dns', 'show', 'acme.agents.box.test');
  t.equal((shown as unknown as { purpose: string }[]).filter(({ purpose }) => purpose === 'mta_sts').length, 2);
  await cliJson(instance.configPath, 'workspaces', 'remove', 'acme', '--yes');
  t.equal((await ask(instance, 'mta-sts.acme.agents.box.test')).status, 404, 'of a removed workspace');
  t.same(instance.faults, []);
});

t.test('without TLS no domain has one', async (t) => {
  await using instance = await startInstance();
  for (const host of ['mta-sts.agents.box.test', 'mta-sts.acme.agents.box.test']) {
    const { status, body } = await ask(instance, host);
    t.same([status, JSON.parse(body).error], [404, 'route_not_found'], host);
  }
  t.same(instance.faults, []);
});
