/** A developer's own project: programs that are checked by its TypeScript and run by Node, outside of this one. */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isLong } from './long-form.ts';

const run = promisify(execFile);

export const ROOT = resolve(import.meta.dirname, '../..');
const CONSUMER = join(ROOT, 'test/consumer');

/** Why there is no such project here, for a test's `skip`; false where there is one. In CI it is an error instead. */
export const missingConsumer: string | false =
  existsSync(join(CONSUMER, 'node_modules')) || process.env.CI !== undefined
    ? false
    : 'test/consumer is not installed: scripts/test-deps does it';

const binary = (name: string): string => join(CONSUMER, 'node_modules/.bin', name);
/** The compiler of that project, of the generation before, at night alone: it takes seven times as long as this one's. */
const COMPILER = isLong ? binary('tsc') : join(ROOT, 'node_modules/.bin/tsc');
const COMPILE = [...(isLong ? [] : ['--singleThreaded']), '-p', 'tsconfig.json'];

/** The types of packages are not checked themselves: they are made by others, and cost four times what the programs do. */
const COMPILER_OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

export interface Consumer extends Disposable {
  directory: string;
  /** Runs a program of its node_modules. @returns what it printed */
  bin(name: string, ...args: string[]): Promise<string>;
  npm(...args: string[]): Promise<string>;
  write(name: string, source: string): void;
  /** Checks the types of every file; rejects with the compiler's words. */
  check(...files: string[]): Promise<void>;
  /** Runs a TypeScript file with Node. @returns what it printed */
  run(file: string, env: Record<string, string>): Promise<string>;
}

/**
 * A fresh directory beside the packages that are installed in test/consumer.
 * @param compilerOptions of TypeScript, more than the usual ones
 */
export const createConsumer = (compilerOptions: Record<string, unknown> = {}): Consumer => {
  const directory = mkdtempSync(join(CONSUMER, 'work-'));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'work', private: true, type: 'module' }));
  const exec = async (file: string, args: string[], env: Record<string, string> = {}): Promise<string> => {
    try {
      const options = { cwd: directory, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
      const { stdout } = await run(file, args, options);
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
    }
  };
  return {
    directory,
    bin: (name, ...args) => exec(binary(name), args),
    npm: (...args) => exec('npm', args),
    write: (name, source) => writeFileSync(join(directory, name), source),
    check: async (...files) => {
      const settings = { compilerOptions: { ...COMPILER_OPTIONS, ...compilerOptions }, files };
      writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings));
      await exec(COMPILER, COMPILE);
    },
    run: (file, env) => exec(process.execPath, [file], env),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
};
