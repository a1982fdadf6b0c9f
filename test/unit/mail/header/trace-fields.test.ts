import t from 'tap';
import {
  headerSection,
  receivedHeader,
  returnPathHeader,
  stripForgedResults,
} from '../../../../src/mail/header/trace-fields.ts';

const REST = 'From: a@b.de\r\n\r\nAuthentication-Results: mx.test; dkim=pass\r\n';
const AT = Date.UTC(2026, 8, 1, 10);

t.test('takes out results that claim to be ours, however written', async (t) => {
  const forged = [
    'Authentication-Results: mx.test; dkim=pass',
    'authentication-results : MX.Test; dkim=pass',
    'AUTHENTICATION-RESULTS:\r\n\tmx.test;\r\n dkim=pass',
    'Authentication-Results: mx.test 1; none',
    'Authentication-Results: (said (really)) mx.test (us); none',
    'Authentication-Results: "mx.test"; none',
    'Authentication-Results: mx.test.; none',
    'Authentication-Results:mx.test',
    'Authentication-Results\r\n : mx.test; none',
  ];
  for (const field of forged) {
    const raw = Buffer.from(`Received: x\r\n${field}\r\n${REST}`);
    t.equal(stripForgedResults(raw, 'mx.test').toString(), `Received: x\r\n${REST}`, JSON.stringify(field));
  }
});

t.test('leaves the rest alone, to the byte', async (t) => {
  const others = [
    'Authentication-Results: other.test; dkim=pass',
    'Authentication-Results: mx.test.evil.example; none',
    'X-Authentication-Results: mx.test; none',
    'ARC-Authentication-Results: i=1; mx.test; none',
  ];
  for (const field of others) {
    const raw = Buffer.from(`${field}\r\n${REST}`);
    t.equal(stripForgedResults(raw, 'mx.test'), raw, 'the same buffer');
  }
  const binary = Buffer.concat([
    Buffer.from('Authentication-Results: mx.test\nX: '),
    Buffer.from([0xff, 0, 0x80]),
    Buffer.from('\n\n\0'),
  ]);
  t.same(stripForgedResults(binary, 'mx.test'), binary.subarray(32));
});

t.test('finds the header section', async (t) => {
  t.equal(headerSection(Buffer.from('A: b\r\nC: d\r\n\r\nbody')).toString(), 'A: b\r\nC: d\r\n');
  t.equal(headerSection(Buffer.from('A: b\n\nbody')).toString(), 'A: b\n');
  t.equal(headerSection(Buffer.from('\r\nA: b')).length, 0);
  t.equal(headerSection(Buffer.from('A: b')).toString(), 'A: b');
});

t.test('writes a Received field', async (t) => {
  const facts = { helo: 'client.example', ip: '192.0.2.1', iprevName: 'host.example', by: 'mx.test', id: 'abc' };
  const plain = receivedHeader({ ...facts, protocol: 'ESMTP', tls: null, recipient: 'bot@mail.test', at: AT });
  t.equal(
    plain.replace(/\r\n /g, ' '),
    'Received: from client.example (host.example [192.0.2.1]) by mx.test with ESMTP id abc for <bot@mail.test>; Tue, 01 Sep 2026 10:00:00 +0000\r\n',
  );
  const tls = { version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256' };
  const secure = receivedHeader({ ...facts, protocol: 'UTF8SMTPS', tls, recipient: 'bot@mail.test', at: AT });
  t.equal(
    secure.replace(/\r\n /g, ' '),
    'Received: from client.example (host.example [192.0.2.1]) (using TLSv1.3 with cipher TLS_AES_128_GCM_SHA256) by mx.test with UTF8SMTPS id abc for <bot@mail.test>; Tue, 01 Sep 2026 10:00:00 +0000\r\n',
  );
  for (const line of `${plain}${secure}`.split('\r\n')) t.ok(line.length <= 78);
});

t.test('repeats no greeting that is none', async (t) => {
  const facts = {
    iprevName: null,
    by: 'mx.test',
    protocol: 'SMTP',
    tls: null,
    id: 'abc',
    recipient: null,
    at: AT,
  } as const;
  const field = (helo: string, ip = '2001:db8::1') => receivedHeader({ ...facts, helo, ip });
  t.match(field('x\r\nBcc: a@b.de'), 'Received: from [IPv6:2001:db8::1] ([IPv6:2001:db8::1]) by mx.test');
  t.match(field('evil) by bank.example ('), 'from [IPv6:2001:db8::1] (');
  t.match(field('[192.0.2.1]', '192.0.2.1'), 'from [192.0.2.1] ([192.0.2.1])');
  t.notMatch(field(''), ' for ');
});

t.test('writes a Return-Path', async (t) => {
  t.equal(returnPathHeader('a@b.de'), 'Return-Path: <a@b.de>\r\n');
  t.equal(returnPathHeader(''), 'Return-Path: <>\r\n');
  t.equal(returnPathHeader('a>\r\nX: y'), 'Return-Path: <aX: y>\r\n');
});
