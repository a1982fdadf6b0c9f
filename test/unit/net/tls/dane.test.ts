import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import t from 'tap';
import { daneCheck, formatTlsa, type TlsaRecord, usableRecords } from '../../../../src/net/tls/dane.ts';
import { type Certificate, createAuthority, selfSigned } from '../../../harness/net/certificate.ts';

const authority = createAuthority();
const NAMES = ['mx.example.test', 'example.test'];

/** A socket whose peer has shown the certificate. */
const handshake = async ({ key, cert }: Certificate): Promise<TLSSocket> => {
  const server = tls.createServer({ key, cert }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = tls.connect({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  await once(socket, 'secureConnect');
  t.teardown(() => {
    socket.destroy();
    server.close();
  });
  return socket;
};

const recordOf = (usage: number, selector: number, matchingType: number, pem: string): TlsaRecord => {
  const certificate = new X509Certificate(pem);
  const chosen = selector === 0 ? certificate.raw : certificate.publicKey.export({ format: 'der', type: 'spki' });
  const digest = { 1: 'sha256', 2: 'sha512' }[matchingType];
  return { usage, selector, matchingType, data: digest ? createHash(digest).update(chosen).digest() : chosen };
};

const FORMS = [0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [selector, matching] as const));

t.test('usage 3, DANE-EE: the certificate itself, whatever its names and dates', async (t) => {
  const over = authority.issue('another.test', 'over');
  const socket = await handshake(over);
  for (const [selector, matching] of FORMS) {
    t.equal(daneCheck([recordOf(3, selector, matching, over.cert)], NAMES)(socket), null, `3 ${selector} ${matching}`);
    const wrong = recordOf(3, selector, matching, selfSigned('mx.example.test').cert);
    t.match(daneCheck([wrong], NAMES)(socket), { type: 'certificate-not-trusted' });
    t.equal(daneCheck([wrong, recordOf(3, 1, 1, over.cert)], NAMES)(socket), null, 'one of several is enough');
  }
  t.match(daneCheck([recordOf(3, 0, 1, authority.cert)], NAMES)(socket), { type: 'certificate-not-trusted' });
});

t.test('usage 2, DANE-TA: an authority, and then names and dates count', async (t) => {
  const good = await handshake(authority.issue('mx.example.test'));
  const ofDomain = await handshake(authority.issue('example.test'));
  const other = await handshake(authority.issue('mx.other.test'));
  const over = await handshake(authority.issue('mx.example.test', 'over'));
  const stranger = createAuthority();
  for (const [selector, matching] of FORMS) {
    const check = daneCheck([recordOf(2, selector, matching, authority.cert)], NAMES);
    t.equal(check(good), null, `2 ${selector} ${matching}`);
    t.equal(check(ofDomain), null);
    t.match(check(other), { type: 'certificate-host-mismatch' });
    t.match(check(over), { type: 'certificate-expired' });
    const wrong = daneCheck([recordOf(2, selector, matching, stranger.cert)], NAMES);
    t.match(wrong(good), { type: 'certificate-not-trusted' });
  }
});

t.test('an authority of the same name is not the same, nor is one that is only sent along', async (t) => {
  const impostor = createAuthority().issue('mx.example.test');
  const socket = await handshake({
    key: impostor.key,
    cert: impostor.cert.split(/(?<=END CERTIFICATE-----\n)/)[0] + authority.cert,
  });
  for (const [selector, matching] of FORMS) {
    const failure = daneCheck([recordOf(2, selector, matching, authority.cert)], NAMES)(socket);
    t.match(failure, { type: 'certificate-not-trusted' });
  }
});

t.test('an authority that is not sent has to stand in the record', async (t) => {
  const { key, cert } = authority.issue('mx.example.test');
  const socket = await handshake({ key, cert: cert.split(/(?<=END CERTIFICATE-----\n)/)[0] ?? '' });
  t.equal(daneCheck([recordOf(2, 0, 0, authority.cert)], NAMES)(socket), null);
  t.equal(daneCheck([recordOf(2, 1, 0, authority.cert)], NAMES)(socket), null);
  t.match(daneCheck([recordOf(2, 0, 1, authority.cert)], NAMES)(socket), { type: 'certificate-not-trusted' });
  const nonsense = { usage: 2, selector: 1, matchingType: 0, data: Buffer.from('nonsense') };
  t.match(daneCheck([nonsense], NAMES)(socket), { type: 'certificate-not-trusted' });
});

t.test('records that cannot be used', async (t) => {
  const good = recordOf(3, 1, 1, authority.cert);
  const unusable = [
    { ...good, usage: 0 },
    { ...good, usage: 1 },
    { ...good, usage: 4 },
    { ...good, selector: 2 },
    { ...good, matchingType: 3 },
    { ...good, data: good.data.subarray(1) },
    { ...good, matchingType: 0, data: Buffer.alloc(0) },
  ];
  t.same(usableRecords([...unusable, good]), [good]);
  t.match(formatTlsa(good), /^3 1 1 [0-9A-F]{64}$/);
});
