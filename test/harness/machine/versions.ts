/** A release of these sources, and other versions, made of an unpacked one by edits. */

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

export const makeKey = (file: string): void => {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
};

const release = (...options: string[]): void => {
  // Without what tap loads into every Node.
  const script = ['-u', 'NODE_OPTIONS', process.execPath, 'scripts/release.ts', ...options];
  execFileSync('env', script, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Makes the tree of a release for this machine, signed. */
export const makeTree = (folder: string, key: string): void => release('--into', folder, '--sign', key);

/** Makes a release for this machine, signed and hardly compressed. @returns its tarball */
export const makeRelease = (folder: string, key: string): string => {
  release('--platform', arch(), '--sign', key, '--out', folder, '--level', '1');
  return join(folder, globSync('*.tar.gz', { cwd: folder })[0] ?? '');
};

/** By the pattern of the files, one of which has what is edited. */
type Edits = Readonly<Record<string, (text: string) => string>>;

/** @param key what signs it; null: the signature stays that of the version it is made of */
export const makeVersion = (
  folder: string,
  from: string,
  version: string,
  { edits, key }: { edits: Edits; key: string | null },
): void => {
  const target = join(folder, version);
  // By links: few files differ, and those are written anew.
  execFileSync('cp', ['-al', join(folder, from), target]);
  const write = (file: string, text: string): void => {
    rmSync(join(target, file));
    writeFileSync(join(target, file), text);
  };
  const all: Edits = { ...edits, 'package.json': (text) => text.replace(/"version": ".+"/, `"version": "${version}"`) };
  let sums = readFileSync(join(target, 'SHA256SUMS'), 'utf8').split('\n');
  for (const [pattern, edit] of Object.entries(all)) {
    const isEdited = (each: string): boolean => {
      const text = readFileSync(join(target, each), 'utf8');
      return edit(text) !== text;
    };
    const [file, ...more] = globSync(pattern, { cwd: target }).filter(isEdited);
    if (file === undefined || more.length > 0)
      throw new Error(`${pattern}: ${more.length + 1} or none has what is edited.`);
    write(file, edit(readFileSync(join(target, file), 'utf8')));
    const sum = execFileSync('sha256sum', [file], { cwd: target, encoding: 'utf8' });
    sums = sums.map((line) => (line.slice(66) === file ? sum.trimEnd() : line));
  }
  write('SHA256SUMS', sums.join('\n'));
  if (key === null) return;
  rmSync(join(target, 'SHA256SUMS.sig'));
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', key, '-n', 'postroom-release', join(target, 'SHA256SUMS')], {
    stdio: 'ignore',
  });
};

/** The edit that adds a migration at the end of the list. */
export const withMigration = (name: string, kind: string, up: string): Edits => ({
  'build/server/*.js': (text) =>
    text.replace(
      /(\bmigrations\s*=\s*)((?:\[\.\.\.)*Object\.entries\([\s\S]{0,1000}?)(\.toSorted\()/,
      `$1[...$2, { name: '${name}', kind: '${kind}', up: '${up}' }]$3`,
    ),
});
