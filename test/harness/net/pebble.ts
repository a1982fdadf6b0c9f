/** Pebble, the test authority of Let's Encrypt (RFC 8555), on loopback. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import { createAuthority } from './certificate.ts';
import { freePort } from './free-port.ts';

export interface Pebble extends AsyncDisposable {
  directoryUrl: string;
  /** Of its own HTTPS. */
  caFile: string;
  /** Signs what it issues. @returns PEM */
  root(): Promise<string>;
}

export interface PebbleOptions {
  /** The address that it listens on; left out, 127.0.0.1. */
  address?: string;
  /** `host:port` of the DNS server that it asks. */
  dnsServer: string;
  /** Where it looks for challenges. */
  httpPort: number;
  tlsPort: number;
  /** A key of external account binding that it wants, base64url by its id. */
  bindingKeys?: Record<string, string>;
}

export const startPebble = async ({
  address = '127.0.0.1',
  dnsServer,
  httpPort,
  tlsPort,
  bindingKeys,
}: PebbleOptions): Promise<Pebble> => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-pebble-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const authority = createAuthority('Of pebble itself');
  const host = address === '127.0.0.1' ? 'localhost' : address;
  const { cert, key } = authority.issue(host);
  const path = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const caFile = path('ca.pem', authority.cert);
  const config = {
    listenAddress: `${address}:${port}`,
    managementListenAddress: `${address}:${managementPort}`,
    certificate: path('cert.pem', cert),
    privateKey: path('key.pem', key),
    httpPort,
    tlsPort,
    externalAccountBindingRequired: bindingKeys !== undefined,
    ...(bindingKeys && { externalAccountMACKeys: bindingKeys }),
  };
  const file = path('config.json', JSON.stringify({ pebble: config }));
  const child = spawn('pebble', ['-config', file, '-dnsserver', dnsServer, '-strict'], {
    // Looks at once instead of within seconds, and never takes an authorization for granted.
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const directoryUrl = `https://${host}:${port}/dir`;
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject).once('exit', (code) => reject(new Error(`pebble ended with ${code}`)));
    child.stdout.on('data', (text) => {
      if (String(text).includes('ACME directory available')) resolve();
    });
  });
  const dispatcher = new Agent({ connect: { ca: authority.cert } });
  return {
    directoryUrl,
    caFile,
    root: async () => (await fetch(`https://${host}:${managementPort}/roots/0`, { dispatcher })).text(),
    [Symbol.asyncDispose]: async () => {
      await dispatcher.close();
      child.removeAllListeners('exit');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
