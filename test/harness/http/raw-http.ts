/** HTTP spoken by hand, byte by byte, from whichever address of this machine. */

import { once } from 'node:events';
import net from 'node:net';
import type { TestAgent, TestInstance } from '../instance.ts';

export interface RawHttp extends Disposable {
  readonly socket: net.Socket;
  write(bytes: string | Buffer): void;
  /** What has come so far. */
  readonly received: string;
  /** Resolves with all that came, once the connection has ended. */
  readonly ended: Promise<string>;
}

export const connectHttp = async (
  { config }: Pick<TestInstance, 'config'>,
  localAddress = '127.0.0.1',
): Promise<RawHttp> => {
  const socket = net.connect({ host: '127.0.0.1', port: config.http.listen[0]?.port ?? 0, localAddress });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  // A reset is an end too: what is written to a side that has closed is answered by one.
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  await Promise.race([once(socket, 'connect'), ended]);
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    get received() {
      return received;
    },
    ended,
    [Symbol.dispose]: () => socket.destroy(),
  };
};

/** The header of a POST whose body is still to come. */
export const postHeader = (
  { key }: Pick<TestAgent, 'key'>,
  path: string,
  body: { bytes: number } | 'chunked',
  more: Record<string, string> = {},
): string => {
  const headers = {
    host: '127.0.0.1',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(body === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.bytes) }),
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
};
