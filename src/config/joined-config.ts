/** The config of one more box, made of the first one's: what is of that machine alone is left out. */

import { isIPv4 } from 'node:net';
import { parse, stringify } from 'smol-toml';
import { isJsonObject } from '../kernel/json-object.ts';
import { listen } from './config-values.ts';

interface JoinedConfig {
  toml: string;
  /** A line for each key that this machine has otherwise. */
  leftOut: string[];
}

/** Lists of addresses to listen on, and `http.private_listen`, which is one. */
const LISTENERS = [
  ['http', 'listen'],
  ['http', 'private_listen'],
  ['tls', 'http_listen'],
  ['smtp', 'listen'],
  ['submission', 'listen'],
  ['dns', 'server', 'listen'],
] as const;

const HEAD = `\
# Postroom's config, of a box that joined an installation. A change needs a restart.
# What is not here has its default; config/postroom.example.toml explains every key.

`;

/** Whether an address to listen on is there on every machine. */
const isAnywhere = (text: string): boolean => {
  const { data } = listen.safeParse(text);
  if (!data) return false;
  const { host } = data;
  return ['0.0.0.0', '::', '::1', 'localhost'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
};

const tableAt = (top: Record<string, unknown>, path: readonly string[]): Record<string, unknown> | null =>
  path.reduce<Record<string, unknown> | null>((table, key) => {
    const next = table?.[key];
    return isJsonObject(next) ? next : null;
  }, top);

/**
 * @param toml the first box's config
 * @param own the values that this machine has of its own, by their keys from the top
 */
export const toJoinedConfig = (toml: string, own: { url: string; dataDir: string; keyFile: string }): JoinedConfig => {
  const top: Record<string, unknown> = parse(toml);
  const leftOut: string[] = [];
  for (const path of LISTENERS) {
    const table = tableAt(top, path.slice(0, -1));
    const key = path.at(-1) ?? '';
    const given = table?.[key];
    if (!table || given === undefined) continue;
    const kept = [given].flat().filter((each) => isAnywhere(String(each)));
    if (kept.length === [given].flat().length) continue;
    leftOut.push(`${path.join('.')} = ${JSON.stringify(given)}`);
    // A list that is left out has its default: it may be none.
    if (kept.length > 0) table[key] = kept;
    else delete table[key];
  }
  const outbound = tableAt(top, ['outbound']);
  if (outbound && [outbound.source_addresses].flat().some((each) => each !== undefined)) {
    leftOut.push(`outbound.source_addresses = ${JSON.stringify(outbound.source_addresses)}`);
    delete outbound.source_addresses;
  }
  const merged = {
    ...top,
    data_dir: own.dataDir,
    storage: { ...tableAt(top, ['storage']), url: own.url },
    vault: { ...tableAt(top, ['vault']), key_file: own.keyFile },
  };
  return { toml: `${HEAD}${stringify(merged)}\n`, leftOut };
};
