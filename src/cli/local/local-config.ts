/** The config of `install.sh --local`. Each run rewrites the marked lines; the others are the user's. */

import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { parseConfig } from '../../config/config-text.ts';
import type { ListenAddress } from '../../config/config-values.ts';
import { replaceFile } from '../../kernel/files/replace-file.ts';
import { writeKeyFile } from '../../seal/key-file.ts';
import { onFreePorts } from '../free-ports.ts';
import { tomlString } from '../new-instance.ts';

const LOOPBACK = '127.0.0.1';
const MARK = ' # of this run';

/** `.localhost` is reserved (RFC 6761 section 6.3): none of these names resolves anywhere else. */
const newText = (data: string): string => `\
# Written by install.sh --local. What is marked as this run's is written anew by each: the ports are the first free ones
# from those here on. What is not here has its default; config/postroom.example.toml explains every key.
hostname = "mx.postroom.localhost"
base_domain = "agents.localhost"
public_url = "http://${LOOPBACK}:8025"${MARK}
data_dir = ${tomlString(data)}

[vault]
key_file = ${tomlString(join(data, 'vault.key'))}

[http]
listen = ["${LOOPBACK}:8025"]${MARK}
private_listen = "${LOOPBACK}:8026"${MARK}

[tls]
mode = "off"

[smtp]
listen = ["${LOOPBACK}:2525"]${MARK}

[outbound]
local_only = true${MARK}
`;

const formatListen = ({ host, port }: ListenAddress): string => tomlString(`${host}:${port}`);

const toRunValues = ({ public_url, http, smtp, outbound }: Config): Readonly<Record<string, string>> => ({
  public_url: tomlString(public_url),
  'http.listen': `[${http.listen.map(formatListen).join(', ')}]`,
  'http.private_listen': formatListen(http.private_listen),
  'smtp.listen': `[${smtp.listen.map(formatListen).join(', ')}]`,
  'outbound.local_only': String(outbound.local_only),
});

/** The text with the values of a run in its marked lines. */
const withRunValues = (text: string, values: Readonly<Record<string, string>>): string => {
  let table = '';
  const lines = text.split('\n').map((line) => {
    table = /^\[(.+)\]$/.exec(line)?.[1] ?? table;
    const key = line.endsWith(MARK) ? /^(\w+) = /.exec(line)?.[1] : undefined;
    const value = key === undefined ? undefined : values[table === '' ? key : `${table}.${key}`];
    return value === undefined ? line : `${key} = ${value}${MARK}`;
  });
  return lines.join('\n');
};

export interface LocalConfig {
  path: string;
  config: Config;
  /** Writes this run's ports into the file, so that the CLI's links are correct. */
  save(): void;
}

/**
 * Creates missing files. A missing key beside a database is lost; a new one would open none of its data.
 * @param internet whether mail may leave this machine
 */
export const prepareConfig = async (data: string, internet: boolean): Promise<LocalConfig> => {
  mkdirSync(data, { recursive: true });
  // Other users may read the checkout, but not the mail.
  chmodSync(data, 0o700);
  const path = join(data, 'postroom.toml');
  const fresh = newText(data);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : fresh;
  // Searched from the usual ports on, whatever the last run used.
  const usual = withRunValues(text, toRunValues(parseConfig(fresh, path)));
  const found = await onFreePorts(parseConfig(usual, path));
  const config = { ...found, outbound: { ...found.outbound, local_only: !internet } };
  const hasData = (await (await import('../../store/data-files.ts')).dataFilesOf(config.storage.url).size()) !== null;
  if (!hasData && !existsSync(config.vault.key_file)) writeKeyFile(config.vault.key_file);
  return { path, config, save: () => replaceFile(path, withRunValues(text, toRunValues(config)), 0o640) };
};
