/** Ports: each listener takes a connection, and port 25 is open outward. */

import type { ListenAddress } from '../../config/config-values.ts';
import { resolveHost, resolveRoute } from '../../net/dns/mx.ts';
import type { Check, DoctorNeeds } from '../check.ts';
import { type Finding, fail, ok, skipped } from '../finding.ts';

/** Large receivers, whose hosts take connections from everywhere: one that answers is enough. */
const WITNESSES = ['gmail.com', 'outlook.com', 'yahoo.com'];
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const formatAddress = ({ host, port }: ListenAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const checkListener = async (
  { connect, isServing }: DoctorNeeds,
  name: string,
  address: ListenAddress,
): Promise<Finding> => {
  const told = formatAddress(address);
  if (!isServing) return skipped(name, `${told}: the daemon does not run.`);
  const reason = await connect(ANY[address.host] ?? address.host, address.port);
  return reason === null
    ? ok(name, told)
    : fail(
        name,
        `${told} takes no connection: ${reason}`,
        'Look into the daemon’s log; another program may have the port.',
      );
};

const checkOutward = async ({ config, resolver, connect }: DoctorNeeds): Promise<Finding> => {
  const { smarthost, port, local_only: isLocalOnly } = config.outbound;
  const name = 'port_25_outward';
  if (isLocalOnly) return skipped(name, 'outbound.local_only: nothing is sent beyond this machine.');
  if (smarthost) {
    const { addresses } = await resolveHost(smarthost.host, resolver);
    const host = addresses[0] ?? smarthost.host;
    const reason = await connect(host, smarthost.port);
    const told = `the smarthost ${smarthost.host}:${smarthost.port}`;
    return reason === null
      ? ok(name, `Mail goes by ${told}.`)
      : fail(name, `${told}: ${reason}`, 'Correct outbound.smarthost, or let port 25 be opened and leave it out.');
  }
  const attempts = await Promise.all(
    WITNESSES.map(async (domain) => {
      const route = await resolveRoute(domain, resolver);
      if (route.kind !== 'hosts') return `${domain} could not be looked up`;
      const host = route.hosts[0];
      const reason = await connect(host?.addresses[0] ?? '', port);
      return reason === null ? null : `${host?.name}: ${reason}`;
    }),
  );
  return attempts.includes(null)
    ? ok(name, `Port ${port} is open to other mail hosts.`)
    : fail(
        name,
        `No other mail host can be reached: ${attempts.join('; ')}`,
        'Most hosting providers block port 25 until asked: ask yours to open it, or set outbound.smarthost.',
      );
};

export const checkPorts: Check = async (needs) => {
  const { http, smtp, submission, dns, tls } = needs.config;
  const listeners: readonly (readonly [string, readonly ListenAddress[]])[] = [
    ['port_smtp', smtp.listen],
    ['port_submission', submission.listen],
    ['port_http', http.listen],
    ['port_plain_http', tls.mode === 'acme' ? tls.http_listen : []],
    ['port_dns', dns.server.listen],
  ];
  const found = listeners.flatMap(([name, addresses]) =>
    addresses.map((address) => checkListener(needs, name, address)),
  );
  return [...(await Promise.all(found)), await checkOutward(needs)];
};
