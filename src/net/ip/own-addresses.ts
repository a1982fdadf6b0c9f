/** The addresses of this machine's own interfaces. */

import { networkInterfaces } from 'node:os';

export const listInterfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
