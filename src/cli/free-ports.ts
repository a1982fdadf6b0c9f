/** Moves listeners to free ports, for an instance that runs beside others. */

import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import type { ListenAddress } from '../config/config-values.ts';
import { refused } from './failure.ts';

/** Taken ports are skipped; so many taken ones mean another problem. */
const MAX_PORTS_TRIED = 100;
const LAST_PORT = 65_535;

const isFree = ({ host, port }: ListenAddress): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });

/** The config with each listener on the next free port, and `public_url` on the first HTTP one. */
export const onFreePorts = async (config: Config): Promise<Config> => {
  const given = new Set<number>();
  const nextFree = async (wanted: ListenAddress): Promise<ListenAddress> => {
    const last = Math.min(wanted.port + MAX_PORTS_TRIED, LAST_PORT);
    for (let port = wanted.port; port <= last; port++) {
      if (given.has(port) || !(await isFree({ ...wanted, port }))) continue;
      given.add(port);
      return { ...wanted, port };
    }
    throw refused(`No port from ${wanted.port} to ${last} is free at ${wanted.host}.`);
  };
  // One after the other, so that two listeners do not find the same port free.
  const inTurn = async (wanted: readonly ListenAddress[]): Promise<ListenAddress[]> => {
    const found: ListenAddress[] = [];
    for (const address of wanted) found.push(await nextFree(address));
    return found;
  };
  const listen = await inTurn(config.http.listen);
  const private_listen = await nextFree(config.http.private_listen);
  const smtp = { ...config.smtp, listen: await inTurn(config.smtp.listen) };
  const [first] = listen;
  return {
    ...config,
    http: { ...config.http, listen, private_listen },
    smtp,
    public_url: first ? `http://${first.host}:${first.port}` : config.public_url,
  };
};
