/** One more box of a test instance on PostgreSQL, as another machine has it: what it joins with, and ports of its own. */

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatStorage } from '../../../src/config/config-values.ts';
import { runCli } from '../cli.ts';
import type { TestInstance } from '../instance.ts';
import { freePort } from '../net/free-port.ts';

export interface SecondBox {
  /** Of its config. */
  path: string;
  http: number;
  smtp: number;
}

const urlOf = ({ config }: Pick<TestInstance, 'config'>): string =>
  config.storage.url.engine === 'postgres' ? config.storage.url.url : formatStorage(config.storage.url);

/** Joins while the first box serves. */
export const joinBox = async (first: TestInstance): Promise<SecondBox> => {
  const folder = join(first.directory, 'second');
  mkdirSync(folder);
  const path = join(folder, 'postroom.toml');
  const { file: plans } = first.config.plans;
  if (plans) copyFileSync(plans, join(folder, basename(plans)));
  const key = ['--vault-key', first.config.vault.key_file];
  const { code, stderr } = await runCli(path, 'box', 'join', urlOf(first), '--data-dir', join(folder, 'data'), ...key);
  if (code !== 0) throw new Error(stderr);
  const ports: Record<'http' | 'private' | 'smtp', number> = {
    http: await freePort(),
    private: await freePort(),
    smtp: await freePort(),
  };
  let section = '';
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => {
      section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
      if (line.startsWith('private_listen')) return `private_listen = "127.0.0.1:${ports.private}"`;
      if (line.startsWith('listen') && section in ports) {
        return `listen = ["127.0.0.1:${ports[section as keyof typeof ports]}"]`;
      }
      return line;
    });
  writeFileSync(path, lines.join('\n'));
  return { path, ...ports };
};
