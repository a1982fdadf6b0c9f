/** A host of two address families, of which one answers late and the other is not reached. */

import t from 'tap';
import { createConnectionPools } from '../../../../src/net/http/connection-pool.ts';
import { startStopped } from '../../../harness/net/stopped-server.ts';

t.test('an address that takes half a second is waited for, also where there is another', async (t) => {
  await using server = await startStopped('hello');
  const pools = createConnectionPools(null, 30_000);
  t.teardown(() => pools.close());
  const host = `host.test:${server.port}`;
  const addresses = ['127.0.0.1', '::1'];
  const { agent } = pools.single({ protocol: 'http:', host, hostname: 'host.test', addresses });
  setTimeout(server.goOn, 500);
  const { body } = await agent.request({ origin: `http://${host}`, path: '/', method: 'GET' });
  t.equal(await body.text(), 'hello');
});
