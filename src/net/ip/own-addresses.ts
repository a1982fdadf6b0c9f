/** The addresses of this machine's own interfaces. */

import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

export const listInterfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));

/** Of networks for documentation: a packet would go the default way, and none is sent. */
const FAR = { udp4: '192.0.2.1', udp6: '2001:db8::1' } as const;

const findSourceAddress = (type: keyof typeof FAR): Promise<string[]> =>
  new Promise((resolve) => {
    const socket = createSocket(type);
    const end = (found: string[]) => {
      socket.close();
      resolve(found);
    };
    socket.once('error', () => end([]));
    socket.once('connect', () => end([socket.address().address]));
    socket.connect(25, FAR[type]);
  });

/** The addresses that the system gives connections to the Internet, one of each family that it has a route of. */
export const findSourceAddresses = async (): Promise<string[]> =>
  (await Promise.all([findSourceAddress('udp4'), findSourceAddress('udp6')])).flat();
