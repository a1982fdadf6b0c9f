/** A host of two address families, of which one answers late and the other is not reached. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { createConnectionPools } from '../../../../src/net/http/connection-pool.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

const SERVER = `
const server = require('node:http').createServer((request, response) => response.end('hello'));
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;

/** A server that takes no connection until it is told to go on: the system drops the first packet of further ones. */
const startStopped = async () => {
  const child = spawn(process.execPath, ['--eval', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  const port = Number(String(said));
  child.kill('SIGSTOP');
  const filling = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await eventually(async () => filling.some(({ connecting }) => !connecting));
  return {
    port,
    goOn: () => child.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      for (const socket of filling) socket.destroy();
      child.kill('SIGKILL');
    },
  };
};

t.test('an address that takes half a second is waited for, also where there is another', async (t) => {
  await using server = await startStopped();
  const pools = createConnectionPools(null, 30_000);
  t.teardown(() => pools.close());
  const host = `host.test:${server.port}`;
  const addresses = ['127.0.0.1', '::1'];
  const { agent } = pools.single({ protocol: 'http:', host, hostname: 'host.test', addresses });
  setTimeout(server.goOn, 500);
  const { body } = await agent.request({ origin: `http://${host}`, path: '/', method: 'GET' });
  t.equal(await body.text(), 'hello');
});
