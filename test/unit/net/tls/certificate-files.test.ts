import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { watchCertificate } from '../../../../src/net/tls/certificate-files.ts';
import { selfSigned } from '../../../harness/net/certificate.ts';

const setUp = (t: { teardown(work: () => void): void }) => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-cert-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const first = selfSigned('first.test');
  writeFileSync(certFile, first.cert);
  writeFileSync(keyFile, first.key);
  return { certFile, keyFile, first };
};

t.test('a pair that changes is told once; one that is broken is told, and not used', (t) => {
  const { certFile, keyFile, first } = setUp(t);
  const changes: string[] = [];
  const faults: unknown[] = [];
  const watched = watchCertificate({ certFile, keyFile }, (error) => faults.push(error));
  t.teardown(watched.close);
  watched.subscribe(({ cert }) => changes.push(cert.toString()));
  watched.check();
  t.same(changes, [], 'nothing has changed');

  const second = selfSigned('second.test');
  writeFileSync(certFile, second.cert);
  watched.check();
  watched.check();
  t.equal(faults.length, 1, 'a certificate without its key');
  t.equal(watched.current.cert.toString(), first.cert);

  rmSync(keyFile);
  watched.check();
  t.equal(faults.length, 1, 'a file that is being replaced is waited for');

  writeFileSync(keyFile, second.key);
  watched.check();
  watched.check();
  t.same(changes, [second.cert]);
  t.equal(watched.current.cert.toString(), second.cert);
  t.end();
});

t.test('a key that a renewal leaves unreadable is read once its mode is mended', (t) => {
  const { certFile, keyFile } = setUp(t);
  utimesSync(keyFile, 1, 1);
  const faults: unknown[] = [];
  const watched = watchCertificate({ certFile, keyFile }, (error) => faults.push(error));
  t.teardown(watched.close);
  const second = selfSigned('second.test');
  writeFileSync(certFile, second.cert);
  watched.check();
  t.equal(faults.length, 1);
  // As chmod does, this changes neither size nor time of writing; root reads what has any mode.
  writeFileSync(keyFile, second.key.padEnd(statSync(keyFile).size, '\n'));
  utimesSync(keyFile, 1, 1);
  watched.check();
  t.equal(watched.current.cert.toString(), second.cert);
  t.end();
});

t.test('the first pair has to be one', (t) => {
  const { certFile, keyFile } = setUp(t);
  writeFileSync(keyFile, selfSigned('second.test').key);
  t.throws(() => watchCertificate({ certFile, keyFile }, () => {}));
  rmSync(keyFile);
  t.throws(() => watchCertificate({ certFile, keyFile }, () => {}), { code: 'ENOENT' });
  t.end();
});
