// What the installer asks of a config and of the machine. `node facts.js QUESTION CONFIG`, of the tree that it stands in.
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

const CONNECT_MS = 5_000;
const [question, file] = process.argv.slice(2);
const { loadConfig } = await import('../../build/server/config-file.js');
const { isPlainHttp } = await import('../../build/server/config.js');
const { toBindings } = await import('../../build/server/bindings.js');
const { config } = loadConfig({ flag: file });

const listeners = () => {
  const named = (key, list) => toBindings(list).map((each) => ({ key, ...each }));
  return [
    ...named('smtp.listen', config.smtp.listen),
    ...named('submission.listen', config.submission.listen),
    ...named('http.listen', config.http.listen),
    ...named('http.private_listen', [config.http.private_listen]),
    ...(config.tls.mode === 'acme' ? named('tls.http_listen', config.tls.http_listen) : []),
    ...named('dns.server.listen', config.dns.server.listen),
  ];
};

/** Null where the address can be had, else the error's code. */
const probe = ({ host, port, ipv6Only }) =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', ({ code }) => done(code));
    server.listen({ host, port, ipv6Only }, () => server.close(() => done(null)));
  });

const probeUdp = ({ host, port, ipv6Only }) =>
  new Promise((done) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', ipv6Only });
    socket.once('error', ({ code }) => done(code));
    socket.bind({ address: host, port }, () => socket.close(() => done(null)));
  });

const answers = {
  /** A line for each listener: its port, its key, and why it cannot be had, or `free`. */
  ports: async () => {
    for (const each of listeners()) {
      const udp = each.key === 'dns.server.listen' ? await probeUdp(each) : null;
      console.log(each.port, each.key, (await probe(each)) ?? udp ?? 'free');
    }
  },
  names: () => {
    const { hostname, base_domain: baseDomain, operator } = config;
    console.log(`hostname ${hostname}\nbase-domain ${baseDomain}\nowner ${operator.address ?? ''}`);
  },
  /** Empty where the data is in no file. */
  data_file: () => console.log(config.storage.url.file ?? ''),
  http: () => {
    const [listener] = config.http.listen;
    console.log(listener.port, isPlainHttp(config, listener) ? 'http' : 'https');
  },
  /** Whether mail can leave by itself: exit code 0. */
  outward: () => {
    if (config.outbound.smarthost !== null) return;
    const socket = connect({ host: 'gmail-smtp-in.l.google.com', port: config.outbound.port, timeout: CONNECT_MS });
    socket.once('connect', () => process.exit(0));
    for (const event of ['error', 'timeout']) socket.once(event, () => process.exit(1));
  },
};
await answers[question]();
