/** One NS record in the parent zone: a resolver finds everything under the base domain, and a peer verifies what we sign. */

import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import t from 'tap';
import { cliJson } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { dig, digShort } from '../../harness/net/dig.ts';
import { freePort } from '../../harness/net/free-port.ts';
import { startNsd, startUnbound } from '../../harness/net/name-servers.ts';

const BASE = 'agents.box.test';
/** Loopback addresses of their own: a delegation leads to port 53. */
const PARENT = '127.53.0.2';
const BOX = '127.53.0.3';

const firstUnprivileged = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
const mayListen = process.getuid?.() === 0 || firstUnprivileged <= 53;
const skip = mayListen ? false : 'port 53 of a loopback address is for root alone here';

t.test('NSD delegates, unbound resolves, and a signature verifies with what it found', { skip }, async (t) => {
  await using instance = await startInstance({ toml: `[dns.server]\nlisten = ["${BOX}:53"]\n` });
  await using parent = await startNsd(
    'box.test',
    [`${BASE}. 60 IN NS mx.box.test.`, `mx.box.test. 60 IN A ${BOX}`],
    PARENT,
    await freePort(),
  );
  await using resolver = await startUnbound('box.test', parent.server, await freePort());
  const { server } = resolver;

  const referral = await dig(parent.server, '+norecurse', `acme.${BASE}`, 'MX');
  t.same(referral.answer, [], 'the parent has nothing but the delegation');
  t.match(referral.authority, [`${BASE}. 60 IN NS mx.box.test.`]);
  t.same(await digShort(server, `acme.${BASE}`, 'MX'), ['10 mx.box.test.']);
  t.match(await digShort(server, `acme.${BASE}`, 'TXT'), [/^"v=spf1 a:mx\.box\.test -all"$/]);
  t.match(await digShort(server, `_dmarc.acme.${BASE}`, 'TXT'), [/^"v=DMARC1; p=reject/]);
  t.equal((await dig(server, `gamma.${BASE}`, 'MX')).status, 'NXDOMAIN');
  t.match(await dig(server, `_domainkey.acme.${BASE}`, 'TXT'), { status: 'NOERROR', answer: [] });
  await cliJson(instance.configPath, 'workspaces', 'add', 'Delta', '--owner', 'd@remote.test');
  t.same(await digShort(server, `delta.${BASE}`, 'MX'), ['10 mx.box.test.'], 'a new workspace resolves at once');

  await instance.client(instance.agents.ann).messages.send({ to: ['carol@remote.test'], subject: 'Hi', body: 'Hi.' });
  const [mail] = await instance.receiver.waitFor(1);
  const dns = new Resolver();
  dns.setServers([server]);
  const { results } = await dkimVerify(mail?.raw ?? Buffer.alloc(0), {
    resolver: (name: string, type: string) => dns.resolve(name, type as 'TXT'),
  });
  t.same(
    results.map(({ status, signingDomain }) => [status.result, signingDomain]),
    [
      ['pass', `acme.${BASE}`],
      ['pass', `acme.${BASE}`],
    ],
  );
  t.same(instance.faults, []);
});
