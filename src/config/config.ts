/** The config: every key with its default. `config/postroom.example.toml` documents them. */

import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { budgetLimits } from './budget-limits.ts';
import {
  addressList,
  bytes,
  domain,
  domainList,
  httpUrl,
  type ListenAddress,
  listen,
  listenList,
  nameServerList,
  networkList,
  optionalEmail,
  optionalHttpUrl,
  optionalPath,
  origin,
  path,
  port,
  type StorageLocation,
  smarthost,
  smarthosts,
  spfDomainList,
  storageUrl,
  word,
} from './config-values.ts';
import { minFreeBytes, smtpLimits, submissionLimits } from './smtp-limits.ts';

const UNDO = 'whole seconds, 0 to 120';

/** A table that may be left out, because all its keys have defaults. */
const table = <T extends z.core.$ZodLooseShape>(shape: T) => {
  const schema = z.strictObject(shape, 'a table');
  // TypeScript cannot derive that every key has a default; a test parses a config of the two required keys alone.
  return schema.prefault({} as z.input<typeof schema>);
};

export const configSchema = z.strictObject({
  hostname: domain('mx.example.com'),
  base_domain: domain('agents.example.com'),
  public_url: origin.optional(),
  data_dir: path.prefault('/var/lib/postroom'),
  operator: table({ address: optionalEmail.prefault('') }),
  storage: table({ url: storageUrl.prefault('sqlite:postroom.db') }),
  vault: table({ key_file: path.prefault('/etc/postroom/vault.key') }),
  agents: table({
    keep_removed_mail_days: z.int('a whole number of days').min(0, 'a number of days, 0 or more').prefault(30),
  }),
  activity: table({ keep_days: z.int('a whole number of days').min(1, 'a number of days, 1 or more').prefault(365) }),
  mail_log: table({ keep_days: z.int('a whole number of days').min(1, 'a number of days, 1 or more').prefault(30) }),
  http: table({
    listen: listenList.prefault(['[::]:443']),
    private_listen: listen.prefault('127.0.0.1:8026'),
    trusted_proxies: networkList.prefault([]),
  }),
  tls: table({
    mode: word(['acme', 'files', 'off']).prefault('acme'),
    acme_directory: httpUrl.prefault('https://acme-v02.api.letsencrypt.org/directory'),
    acme_email: optionalEmail.prefault(''),
    acme_eab_key_id: z.string('a text, or ""').prefault(''),
    acme_eab_hmac_key: z.string('a text, or ""').prefault(''),
    http_listen: listenList.prefault(['[::]:80']),
    cert_file: optionalPath.prefault(''),
    key_file: optionalPath.prefault(''),
  }),
  smtp: table({
    listen: listenList.prefault(['[::]:25']),
    max_message_bytes: bytes.prefault(26_214_400),
    filter_response: word(['accept', 'reject']).prefault('accept'),
    trusted: networkList.prefault(['127.0.0.0/8', '::1/128']),
    proxies: addressList.prefault([]),
    trusted_forwarders: domainList.prefault([]),
    min_free_bytes: minFreeBytes,
    limits: table(smtpLimits),
  }),
  submission: table({ listen: listenList.prefault([]), ...submissionLimits }),
  budget: table(budgetLimits),
  dns: table({
    resolvers: nameServerList.prefault([]),
    server: table({ listen: listenList.prefault([]), host_addresses: addressList.prefault([]) }),
  }),
  outbound: table({
    port: port.prefault(25),
    source_addresses: addressList.prefault([]),
    smarthost: smarthost.prefault(''),
    smarthosts: smarthosts.prefault({}),
    spf_include: spfDomainList.prefault([]),
    local_only: z.boolean('true or false').prefault(false),
    undo_seconds: z.int(UNDO).min(0, UNDO).max(120, UNDO).prefault(10),
  }),
  network: table({
    allow_private: networkList.prefault([]),
    extra_ca_file: optionalPath.prefault(''),
  }),
  scan: table({
    rspamd_url: optionalHttpUrl.prefault(''),
    dnsbl: domainList.prefault([]),
  }),
  knowledge: table({
    embeddings: table({
      url: optionalHttpUrl.prefault(''),
      model: z.string('the name of a model, or ""').prefault(''),
      api_key_file: optionalPath.prefault(''),
      dimensions: z
        .int('a whole number')
        .min(0, 'the length of the model’s vectors, up to 8192')
        .max(8_192, 'the length of the model’s vectors, up to 8192')
        .prefault(0),
    }),
  }),
  signup: table({
    open: z.boolean('true or false').prefault(true),
    max_unclaimed: z.int('a whole number').min(0, 'a number, 0 or more').prefault(1_000),
  }),
  plans: table({ file: optionalPath.prefault('') }),
});

type WrittenConfig = z.output<typeof configSchema>;

/** The config in use: keys as in the file, values parsed, every path absolute, "" as null. */
export type Config = Omit<WrittenConfig, 'public_url' | 'vault'> & {
  readonly vault: {
    readonly key_file: string;
    /** Whether systemd has placed the file as a credential ($CREDENTIALS_DIRECTORY), instead of the config's file. */
    readonly is_credential: boolean;
    /** The config's file, where a credential precedes it. */
    readonly configured_file?: string;
  };
  readonly public_url: string;
};

const completeStorage = (location: StorageLocation, dataDir: string): StorageLocation =>
  location.engine === 'sqlite' ? { ...location, file: resolve(dataDir, location.file) } : location;

/**
 * Derives the values that depend on other keys. Paths are relative to `folder`, the config file's; the data file's to
 * data_dir.
 */
export const completeConfig = (written: WrittenConfig, folder: string): Config => {
  const inFolder = (file: string) => resolve(folder, file);
  const inFolderOrNull = (file: string | null) => file && inFolder(file);
  const dataDir = inFolder(written.data_dir);
  return {
    ...written,
    public_url: written.public_url ?? `https://${written.hostname}`,
    data_dir: dataDir,
    storage: { url: completeStorage(written.storage.url, dataDir) },
    vault: { key_file: inFolder(written.vault.key_file), is_credential: false },
    tls: {
      ...written.tls,
      cert_file: inFolderOrNull(written.tls.cert_file),
      key_file: inFolderOrNull(written.tls.key_file),
    },
    network: { ...written.network, extra_ca_file: inFolderOrNull(written.network.extra_ca_file) },
    knowledge: {
      embeddings: {
        ...written.knowledge.embeddings,
        api_key_file: inFolderOrNull(written.knowledge.embeddings.api_key_file),
      },
    },
    plans: { file: inFolderOrNull(written.plans.file) },
    budget: {
      ...written.budget,
      // A smaller share would reject messages of the maximum size.
      message_bytes_per_network: Math.max(written.budget.message_bytes_per_network, written.smtp.max_message_bytes),
    },
  };
};

const isLoopback = ({ host }: ListenAddress): boolean =>
  host === '::1' || host === 'localhost' || (isIPv4(host) && host.startsWith('127.'));

/** Whether an HTTP listener speaks no TLS: always on loopback behind proxies, which have it. */
export const isPlainHttp = ({ http, tls }: Pick<Config, 'http' | 'tls'>, listener: ListenAddress): boolean =>
  tls.mode === 'off' || (http.trusted_proxies.length > 0 && isLoopback(listener));

/** Returns combinations of individually valid keys that are invalid together. */
export const impossibleCombinations = (written: WrittenConfig): { key: string[]; expected: string }[] => {
  const { hostname, base_domain: base, tls, http, smtp, submission, budget, dns, knowledge } = written;
  const found: { key: string[]; expected: string }[] = [];
  for (const name of ['cert_file', 'key_file'] as const) {
    if (tls.mode === 'files' && tls[name] === null) {
      found.push({ key: ['tls', name], expected: 'the path of a PEM file, since tls.mode is "files"' });
    }
  }
  if (tls.mode === 'off' && http.trusted_proxies.length === 0 && !http.listen.every(isLoopback)) {
    // API keys would be transmitted in clear text.
    const expected =
      '"acme" or "files"; "off" is for a loopback http.listen, or behind the proxies of http.trusted_proxies';
    found.push({ key: ['tls', 'mode'], expected });
  }
  if (tls.mode === 'off' && submission.listen.length > 0) {
    // RFC 8314 section 3.3: TLS from the first byte, which requires a certificate.
    found.push({
      key: ['submission', 'listen'],
      expected: '[] while tls.mode is "off": passwords would go in the clear',
    });
  }
  const isHostInZone = hostname === base || hostname.endsWith(`.${base}`);
  if (dns.server.listen.length > 0 && isHostInZone && dns.server.host_addresses.length === 0) {
    // Without them the zone has a name server and an MX host without an address.
    const expected =
      "this machine's public addresses, since hostname is inside base_domain, which [dns.server] answers for";
    found.push({ key: ['dns', 'server', 'host_addresses'], expected });
  }
  if (budget.message_bytes < smtp.max_message_bytes) {
    const expected = 'at least smtp.max_message_bytes, or the largest message could never be taken';
    found.push({ key: ['budget', 'message_bytes'], expected });
  }
  const { url, model, dimensions } = knowledge.embeddings;
  if (url !== null && model === '') {
    const expected = 'the name of a model, since knowledge.embeddings.url is set';
    found.push({ key: ['knowledge', 'embeddings', 'model'], expected });
  }
  if (url !== null && dimensions === 0) {
    const expected = 'the length of the model’s vectors, since knowledge.embeddings.url is set';
    found.push({ key: ['knowledge', 'embeddings', 'dimensions'], expected });
  }
  return found;
};

const withoutDefault = (schema: unknown): unknown => (schema instanceof z.ZodPrefault ? schema.unwrap() : schema);

/** Whether agents may sign up by themselves. */
export const opensSignup = ({ signup }: Pick<Config, 'signup'>): boolean => signup.open && signup.max_unclaimed > 0;

/** The zone that the built-in DNS server answers for; null: it is off. */
export const servedZone = ({ dns, base_domain }: Pick<Config, 'dns' | 'base_domain'>): Config['base_domain'] | null =>
  dns.server.listen.length > 0 ? base_domain : null;

/** Returns the keys of a table, by its path from the top; null where the path does not lead to a table. */
export const keysOfTable = (path: readonly PropertyKey[]): string[] | null => {
  const schema = path.reduce<unknown>(
    (table, key) => (table instanceof z.ZodObject ? withoutDefault(table.shape[String(key)]) : null),
    configSchema,
  );
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : null;
};
