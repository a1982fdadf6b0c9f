/** An HTTP server that takes no connection until it is told to go on. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '../smtp/send-mail.ts';

const SERVER = `
const server = require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(process.argv[1]);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;

/** The system drops the first packet of connections. @param answer to every request */
export const startStopped = async (answer: string) => {
  const child = spawn(process.execPath, ['--eval', SERVER, answer], { stdio: ['ignore', 'pipe', 'inherit'] });
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
