/** Queries over UDP. */

import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Binding } from '../../net/ip/bindings.ts';
import type { DnsServer } from './dns-server.ts';

/** The system buffers a burst while the event loop is busy. */
const RECEIVE_BUFFER_BYTES = 1_048_576;

/** @throws the system's error where the address cannot be bound */
export const listenUdp = async (server: DnsServer, { host, port, ipv6Only }: Binding): Promise<Socket> => {
  const socket = createSocket({
    type: isIPv6(host) ? 'udp6' : 'udp4',
    ipv6Only,
    recvBufferSize: RECEIVE_BUFFER_BYTES,
  });
  socket.on('message', (packet, { address, port: from }) => {
    // An answer to port 0 cannot be sent.
    if (from === 0) return;
    void server.respond(packet, { ip: address, transport: 'udp' }).then((response) => {
      if (response) socket.send(response, from, address, ignore);
    }, ignore);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  // The error of a client that is gone (ICMP).
  socket.on('error', ignore);
  return socket;
};

const ignore = (): void => {};
