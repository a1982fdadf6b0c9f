import t from 'tap';
import { selectSourceAddress } from '../../../../src/outbound/queue/source-address.ts';

t.test('a host sees one address, of its own family', (t) => {
  const pool = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'];
  const sourceAddress = selectSourceAddress(pool);
  const names = Array.from({ length: 60 }, (_, at) => `mx${at}.remote.test`);
  const chosen = names.map((name) => sourceAddress({ name, address: '198.51.100.7' }));
  t.same(
    names.map((name) => sourceAddress({ name, address: '198.51.100.8' })),
    chosen,
    'whichever of its addresses',
  );
  t.same(new Set(chosen), new Set(pool.slice(0, 3)), 'all are used');
  t.equal(sourceAddress({ name: 'mx.remote.test', address: '2001:db8::99' }), '2001:db8::1');
  t.end();
});

t.test('without one of the host’s family the choice is the system’s', (t) => {
  t.equal(selectSourceAddress([])({ name: 'mx', address: '198.51.100.7' }), undefined);
  t.equal(selectSourceAddress(['192.0.2.1'])({ name: 'mx', address: '2001:db8::99' }), undefined);
  t.end();
});
