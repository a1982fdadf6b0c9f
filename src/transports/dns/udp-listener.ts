import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { type Binding, isServed } from '../../net/ip/bindings.ts';
import { listInterfaceAddresses } from '../../net/ip/own-addresses.ts';
import type { Respond } from './dns-server.ts';

/** The system buffers a burst while the event loop is busy. */
const RECEIVE_BUFFER_BYTES = 1_048_576;

export interface UdpListener {
  readonly port: number;
  close(): Promise<void>;
}

const open = async (respond: Respond, { host, port, ipv6Only }: Binding): Promise<Socket> => {
  const socket = createSocket({
    type: isIPv6(host) ? 'udp6' : 'udp4',
    ipv6Only,
    // Beside a socket of all addresses; that another program has the port is told over TCP.
    reuseAddr: true,
    recvBufferSize: RECEIVE_BUFFER_BYTES,
  });
  socket.on('message', (packet, { address, port: from }) => {
    // An answer to port 0 cannot be sent.
    if (from === 0) return;
    respond(packet, { ip: address, transport: 'udp' })
      .then((response) => {
        if (response) socket.send(response, from, address, ignore);
      })
      // At a stop the socket may be closed meanwhile, which `send` throws.
      .catch(ignore);
  });
  try {
    await once(socket.bind(port, host), 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  // The error of a client that is gone (ICMP).
  socket.on('error', ignore);
  return socket;
};

/**
 * Listens on all addresses by a socket for each one: an answer comes from the address that was asked, while a socket of all
 * lets the route choose one, and resolvers drop that. Addresses that come later have the socket of all.
 * @param own the addresses of this machine
 * @throws the system's error where the address cannot be bound
 */
export const listenUdp = async (
  respond: Respond,
  binding: Binding,
  own: readonly string[] = listInterfaceAddresses(),
): Promise<UdpListener> => {
  const first = await open(respond, binding);
  const { port } = first.address();
  const others = own
    .filter(
      (address) => address !== binding.host && isServed(address, [binding]) && (isIPv6(address) || !binding.ipv6Only),
    )
    // One that is not ready, or wants its interface's name, is left to the socket of all.
    .map((host) => open(respond, { host, port, ipv6Only: isIPv6(host) }).catch(() => null));
  const sockets = [first, ...(await Promise.all(others)).filter((socket) => socket !== null)];
  return {
    port,
    close: async () => {
      await Promise.all(sockets.map((socket) => new Promise<void>((end) => socket.close(end))));
    },
  };
};

const ignore = (): void => {};
