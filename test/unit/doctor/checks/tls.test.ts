import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { DoctorNeeds } from '../../../../src/doctor/check.ts';
import { checkTls } from '../../../../src/doctor/checks/tls.ts';
import { HOUR } from '../../../../src/kernel/clock.ts';
import { selfSigned } from '../../../harness/net/certificate.ts';

t.test('a certificate of a few days ends soon with a quarter of them left', async (t) => {
  const { cert, key } = selfSigned('mx.box.test');
  const folder = t.testdir();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const tls = { mode: 'files', cert_file: certFile, key_file: keyFile };
  const config = { hostname: 'mx.box.test', tls, http: { trusted_proxies: [] } };
  const end = Date.parse(new X509Certificate(cert).validTo);
  const examine = (now: number) => checkTls({ config, now, orderFault: null } as unknown as DoctorNeeds);
  t.match(await examine(end - 13 * HOUR), [{ status: 'ok' }], 'of its 48 hours');
  t.match(await examine(end - 11 * HOUR), [{ status: 'warn' }]);
  t.match(await examine(end), [{ status: 'fail' }]);
});
