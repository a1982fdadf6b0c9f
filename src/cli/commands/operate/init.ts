import { dirname, join, resolve } from 'node:path';
import { ConfigError, parseConfig } from '../../../config/config-text.ts';
import { isWithin } from '../../../kernel/address.ts';
import { command, flag, optional, required } from '../../command.ts';
import { CHECKOUT_CONFIG, placeForNewConfig } from '../../config-file.ts';
import { wrongUsage } from '../../failure.ts';
import { listPublicAddresses } from '../../host-addresses.ts';
import { configText, writeNewInstance } from '../../new-instance.ts';
import { details } from '../../table.ts';

const DATA_DIR = '/var/lib/postroom';

/** A checkout keeps its data in its own folder, because only root may write to the default. */
const defaultDataDir = (configFile: string): string =>
  configFile === resolve(CHECKOUT_CONFIG) ? resolve('data') : DATA_DIR;

/** Options with another name than their config key. */
const OPTIONS: Readonly<Record<string, string>> = { 'operator.address': 'owner' };

/** Checks the options by the config's own schema, before anything is written. */
const requireValid = async (text: string, configFile: string): Promise<void> => {
  // Loaded here, because no other command needs the list of public suffixes.
  const { findConfigWarnings } = await import('../../../app/start-warnings.ts');
  try {
    const unfit = findConfigWarnings(parseConfig(text, configFile)).find(({ key }) => key === 'hostname');
    if (unfit) throw wrongUsage(`--hostname: ${unfit.text} Take its whole name, as mx.example.com.`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.problems.map(
      ({ key, expected }) => `--${OPTIONS[key] ?? key.replaceAll('_', '-')} ${expected}`,
    );
    throw wrongUsage(wrong.join('\n'));
  }
};

/** Empty where the host's name is outside the zone: another DNS server has it. */
const listHostAddresses = (hostname: string, baseDomain: string): string[] =>
  isWithin(hostname.toLowerCase(), baseDomain.toLowerCase()) ? listPublicAddresses() : [];

const init = command({
  name: 'init',
  summary: 'writes the config and the key of a new instance',
  options: {
    hostname: required('H', 'the name of this machine in mail, as mx.example.com'),
    'base-domain': required('D', "what the workspaces' subdomains live under, as agents.example.com"),
    'public-url': optional('URL', 'where clients reach it; without it https:// and the hostname'),
    'data-dir': optional(
      'PATH',
      `all that the daemon writes; without it ${DATA_DIR}, or ./data beside ${CHECKOUT_CONFIG}`,
    ),
    owner: optional('EMAIL', "the operator's address: postmaster's mail and reports go to it"),
    'open-signup': flag('lets agents sign up by themselves; without it only the operator makes workspaces'),
    'serve-dns': flag('answers DNS for the base domain on port 53, so that one NS record is all to publish'),
    container: flag('high ports, which the engine of a container publishes as 25, 80 and 443'),
    'behind-proxy': flag('leaves 80 and 443 to a web server: HTTP on 127.0.0.1:8080, no TLS of its own'),
  },
  run: async (given, { configFlag }) => {
    const configFile = placeForNewConfig({ flag: configFlag });
    const keyFile = join(dirname(configFile), 'vault.key');
    const dataDir = given['data-dir'] === undefined ? defaultDataDir(configFile) : resolve(given['data-dir']);
    const text = configText({
      hostname: given.hostname,
      baseDomain: given['base-domain'],
      publicUrl: given['public-url'] ?? null,
      dataDir,
      keyFile,
      operatorAddress: given.owner ?? null,
      opensSignup: given['open-signup'],
      isBehindProxy: given['behind-proxy'],
      isInContainer: given.container,
      dnsHostAddresses: given['serve-dns'] ? listHostAddresses(given.hostname, given['base-domain']) : null,
    });
    await requireValid(text, configFile);
    writeNewInstance(configFile, text, keyFile);
    return {
      document: { config: configFile, key_file: keyFile, data_dir: dataDir, written: [configFile, keyFile] },
      text: () =>
        [
          details([
            ['config', configFile],
            ['key_file', keyFile],
            ['data_dir', dataDir],
          ]),
          'Back the key file up, apart from the data: without it nothing sealed can be read.',
          `Next: look at [tls] in the config, then \`postroom dns show ${given['base-domain']}\` and \`postroom serve\`.`,
        ].join('\n\n'),
    };
  },
});

export const initCommands = [init];
