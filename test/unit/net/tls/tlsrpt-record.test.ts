import t from 'tap';
import { readTlsrptRecord } from '../../../../src/net/tls/tlsrpt-record.ts';

t.test('where reports go, RFC 8460 section 3', async (t) => {
  t.same(readTlsrptRecord(['v=TLSRPTv1;rua=mailto:reports@example.com']), {
    addresses: ['reports@example.com'],
    urls: [],
  });
  t.same(
    readTlsrptRecord(['v=spf1 -all', 'v=TLSRPTv1; rua=mailto:a%2Bb@example.com?x=y , https://r.example.com/v1;']),
    {
      addresses: ['a+b@example.com'],
      urls: ['https://r.example.com/v1'],
    },
  );
  t.same(readTlsrptRecord([`v=TLSRPTv1; rua=${Array(9).fill('mailto:a@example.com').join(',')}`])?.addresses.length, 1);
  const many = Array.from({ length: 9 }, (_, at) => `https://${at}.example.com/`).join(',');
  t.equal(readTlsrptRecord([`v=TLSRPTv1; rua=${many}`])?.urls.length, 4, 'not the whole world');
});

t.test('records that ask for nothing', async (t) => {
  const wrong = [
    [],
    ['v=TLSRPTv1'],
    ['v=TLSRPTv1; rua='],
    ['v=TLSRPTv1; rua=http://r.example.com/'],
    ['v=TLSRPTv1; rua=mailto:nobody'],
    ['v=TLSRPTv1; rua=mailto:%ff@example.com'],
    ['v=TLSRPTv1; rua=mailto:a@example.com', 'v=TLSRPTv1; rua=mailto:b@example.com'],
    ['v=TLSRPTv2; rua=mailto:a@example.com'],
  ];
  for (const records of wrong) t.equal(readTlsrptRecord(records), null, records.join(' / '));
});
