/** A certificate by dns-01, from pebble, through the instance's own DNS server. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { openAcmeAccount } from '../../../src/net/tls/acme/account.ts';
import { createAcmeClient } from '../../../src/net/tls/acme/acme-client.ts';
import type { ChallengeResponder, ChallengeType } from '../../../src/net/tls/acme/challenge.ts';
import { BASE_DOMAIN, startInstance } from '../../harness/instance.ts';
import { digShort } from '../../harness/net/dig.ts';
import { startPebble } from '../../harness/net/pebble.ts';

const POLICY_HOST = `mta-sts.acme.${BASE_DOMAIN}`;

t.test('dns-01: through the DNS server of the instance', async (t) => {
  await using instance = await startInstance({ toml: '[dns.server]\nlisten = ["127.0.0.1:0"]\n' });
  const { challenges, dns } = instance.daemon;
  await using pebble = await startPebble({ dnsServer: dns[0] ?? '', httpPort: 1, tlsPort: 1 });
  const account = await openAcmeAccount(t.testdir(), pebble.directoryUrl);
  const inZone: ChallengeResponder = {
    answer: ({ name, keyAuthorization }) => challenges.setChallenge(`_acme-challenge.${name}`, keyAuthorization),
    withdraw: ({ name, keyAuthorization }) => challenges.removeChallenge(`_acme-challenge.${name}`, keyAuthorization),
  };
  const settings = {
    ...{ directoryUrl: pebble.directoryUrl, account, email: 'admin@remote.test', binding: null, extraCa: null },
    responders: new Map<ChallengeType, ChallengeResponder>([['dns-01', inZone]]),
  };
  await t.rejects(createAcmeClient(settings).obtain([POLICY_HOST], 'dns-01'), 'an authority that is not trusted');
  const client = createAcmeClient({ ...settings, extraCa: readFileSync(pebble.caFile, 'utf8') });
  const { cert } = await client.obtain([POLICY_HOST], 'dns-01');
  t.equal(new X509Certificate(cert).checkHost(POLICY_HOST), POLICY_HOST);
  t.same(await digShort(dns[0] ?? '', `_acme-challenge.${POLICY_HOST}`, 'TXT'), [], 'withdrawn');
  await t.rejects(client.obtain(['outside.test'], 'dns-01'), /No challenge can be set/);
  await t.rejects(client.obtain([POLICY_HOST], 'http-01'), /Nothing answers http-01/);
});
