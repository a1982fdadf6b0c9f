import acme from 'acme-client';
import t from 'tap';
import { createSigningRequest } from '../../../../../src/net/tls/acme/signing-request.ts';

t.test('a name may be longer than a common name', async (t) => {
  const names = [`mta-sts.${'a-long-workspace-name-'.repeat(2)}x.agents.example.com`, 'mx.example.com'];
  const [key, csr] = await createSigningRequest(names);
  t.match(key.toString(), /^-----BEGIN PRIVATE KEY-----/);
  t.same(acme.crypto.readCsrDomains(csr), { commonName: null, altNames: names });
});
