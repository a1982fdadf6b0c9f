/** Ports: each listener accepts a connection, port 25 is open outward, and each smarthost takes the sign-in. */

import { formatListenAddress, type ListenAddress } from '../../config/config-values.ts';
import { resolveRoute } from '../../net/dns/mx.ts';
import { type Binding, toBindings } from '../../net/ip/bindings.ts';
import type { Check, DoctorNeeds } from '../check.ts';
import { type Finding, fail, ok, skipped, warn } from '../finding.ts';

export const checkSmarthosts: Check = async ({ config, signIn }) => {
  const { smarthost, smarthosts, spf_include: includes, local_only: isLocalOnly } = config.outbound;
  if (isLocalOnly) return [];
  const all = [...(smarthost ? [smarthost] : []), ...Object.values(smarthosts).flatMap((each) => each ?? [])];
  const found = await Promise.all(
    all.map(async (each) => {
      const told = `${each.host}:${each.port}`;
      const fault = await signIn(each);
      return fault === null
        ? ok('smarthost', `${told} takes mail${each.credentials === null ? '' : ` of ${each.credentials.user}`}.`)
        : fail(
            'smarthost',
            `${told}: ${fault}`,
            'Correct outbound.smarthost; postroom queue list has the mail that waits.',
          );
    }),
  );
  if (smarthost === null || includes.length > 0) return found;
  const fix =
    'Set outbound.spf_include to what the relay names for SPF, and publish the records anew: postroom dns show DOMAIN';
  return [...found, warn('smarthost_spf', 'No SPF record of a domain permits the smarthost.', fix)];
};

/** Large receivers that accept connections from everywhere: one that answers suffices. */
const WITNESSES = ['gmail.com', 'outlook.com', 'yahoo.com'];
/** The address on this machine for a listener on all addresses. */
const toOwnAddress = ({ host, ipv6Only }: Binding): string => {
  if (host === '::') return ipv6Only ? '::1' : '127.0.0.1';
  return host === '0.0.0.0' ? '127.0.0.1' : host;
};

const checkListener = async ({ connect, isServing }: DoctorNeeds, name: string, address: Binding): Promise<Finding> => {
  const told = formatListenAddress(address);
  if (!isServing) return skipped(name, `${told}: the daemon does not run.`);
  const reason = await connect(toOwnAddress(address), address.port);
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
  if (smarthost) return skipped(name, 'Mail goes by the smarthost.');
  const routes = await Promise.all(WITNESSES.map((domain) => resolveRoute(domain, resolver)));
  if (routes.every(({ kind }) => kind === 'temporary'))
    return fail(name, 'No other mail host could be looked up: DNS does not answer.', 'Look at [dns] resolvers.');
  const attempts = await Promise.all(
    routes.map(async (route, at) => {
      if (route.kind !== 'hosts') return `${WITNESSES[at]} could not be looked up`;
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
    toBindings(addresses).map((address) => checkListener(needs, name, address)),
  );
  return [...(await Promise.all(found)), await checkOutward(needs)];
};
