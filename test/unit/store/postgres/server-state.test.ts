import { once } from 'node:events';
import net from 'node:net';
import t from 'tap';
import type { DoctorNeeds } from '../../../../src/doctor/check.ts';
import { checkDatabase } from '../../../../src/doctor/checks/database.ts';
import { dataFilesOf } from '../../../../src/store/data-files.ts';
import { startPostgres } from '../../../harness/postgres/postgres-server.ts';

t.test('the doctor warns of a connection without TLS that leaves this machine', async (t) => {
  await using server = await startPostgres();
  const socket = `${new URL(server.url).searchParams.get('host')}/.s.PGSQL.5432`;
  const way = net.createServer((near) => {
    const far = net.connect(socket);
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => way.close());
  const byTcp = `postgres://postgres@127.0.0.1:${(way.address() as net.AddressInfo).port}/postgres`;
  const check = async (url: string, ownAddresses: string[]) => {
    const examineServer = () => dataFilesOf({ engine: 'postgres', url }).server();
    return checkDatabase({ examineServer, isServing: true, ownAddresses } as unknown as DoctorNeeds);
  };
  t.match(await check(server.url, []), [{ status: 'ok' }]);
  t.match(await check(byTcp, ['127.0.0.1']), [{ status: 'ok' }]);
  t.match(await check(byTcp, []), [{ status: 'warn', detail: /^The connection to 127\.0\.0\.1 is not encrypted/ }]);
});
