/** Fails where a file of src/ exports a name that no other file needs, and where an error code is never answered. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve, sep } from 'node:path';

/** What the package exports to its users: no file of ours need import it. */
const SURFACE = ['src/client/index.ts'];
const ERROR_TABLE = 'src/kernel/errors.ts';

/** Fewer exports mean that the check looks at the wrong place, and its green tick is worth nothing. */
const FEWEST_EXPORTS = 200;

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|interface|type|enum|function\*?) +([\w$]+)/gm;
const LIST = /^export (?:type )?\{([^}]*)\}(?: from (['"])(.+?)\2)?/gm;
const IMPORT = /^import (?:type )?([\w$]+)?,? ?(?:\{([^}]*)\}|(\* as [\w$]+))? ?from (['"])(.+?)\4/gm;
/** `export * from './file.ts'`, which takes all that the file has. */
const ALL = /^export \*(?: as (?:[\w$]+|'[^']+'))? from (['"])(.+?)\1/gm;
/** `import('./file.ts')`, and a file that is started by its path, as worker threads are. */
const BY_PATH = /(?:\bimport\(|\bnew URL\()\s*(['"`])(\.[^'"`]*?\.tsx?)\1/g;

interface Source {
  path: string;
  text: string;
}

interface Use {
  from: string;
  to: string;
  /** Null: all of them. */
  names: ReadonlySet<string> | null;
}

/** `a, type B, c as d` as the names in the file that is imported. */
const namesIn = (list: string): string[] =>
  list.split(',').flatMap((each) => /^(?:type )?([\w$]+)/.exec(each.trim())?.[1] ?? []);

const exportsOf = ({ text }: Source): string[] => [
  ...[...text.matchAll(DECLARATION)].map(([, name = '']) => name),
  ...[...text.matchAll(LIST)].flatMap(([, list = '']) =>
    list.split(',').flatMap((each) => /([\w$]+)$/.exec(each.trim())?.[1] ?? []),
  ),
];

const usesIn = ({ path, text }: Source): Use[] => {
  const target = (specifier: string) => normalize(join(dirname(path), specifier));
  const words = new Set(text.match(/[\w$]+/g));
  return [
    ...[...text.matchAll(IMPORT)].map(([, byDefault, list = '', all, , specifier = '']) => {
      const names = all ? null : new Set([...namesIn(list), ...(byDefault ? ['default'] : [])]);
      return { from: path, to: target(specifier), names };
    }),
    ...[...text.matchAll(LIST)].flatMap(([, list = '', , specifier]) =>
      specifier === undefined ? [] : [{ from: path, to: target(specifier), names: new Set(namesIn(list)) }],
    ),
    ...[...text.matchAll(ALL)].map(([, , specifier = '']) => ({ from: path, to: target(specifier), names: null })),
    ...[...text.matchAll(BY_PATH)].map(([, , specifier = '']) => ({ from: path, to: target(specifier), names: words })),
  ];
};

/** A test of a module stands in the folder of test/unit that mirrors the module's; corpora are run on modules as well. */
const isTestOf = (test: string, module: string): boolean =>
  test.startsWith(`${dirname(module).replace(/^src/, 'test/unit')}/`) || test.startsWith('test/corpus/');

const isConstant = (name: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(name);

/**
 * What the product uses counts. A test counts for its own module; any test may take a constant, so that it does not repeat
 * the bound that it exercises.
 */
const isNeededBy = (name: string, { from, to, names }: Use): boolean =>
  (names === null || names.has(name)) && (!from.startsWith('test/') || isTestOf(from, to) || isConstant(name));

/** A type that another line of its own file names is part of what that line exports. */
const isPartOfAnother = (name: string, { text }: Source): boolean =>
  new RegExp(`^export (?:interface|type) ${name}\\b`, 'm').test(text) &&
  (text.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))?.length ?? 0) > 1;

/** One line for each export that nothing needs. */
export const unusedExports = (sources: readonly Source[]): string[] => {
  const uses = Map.groupBy(sources.flatMap(usesIn), ({ to }) => to);
  return sources
    .filter(({ path }) => path.startsWith('src/') && !SURFACE.includes(path))
    .flatMap((source) =>
      exportsOf(source)
        .filter((name) => !uses.get(source.path)?.some((use) => isNeededBy(name, use)))
        .filter((name) => !isPartOfAnother(name, source))
        .map((name) => `${source.path}: nothing imports ${name}`),
    );
};

/** Lists of what may be answered, and tables of texts: a code that stands only there is never thrown. */
const LISTS_OF_CODES = /(?:\berrors: |_ERRORS\b[^=\n]*= |\bSHARED\b[^=\n]*= )[[{][^\]}]*[\]}]/g;

/** Codes of the table that nothing throws, and no field has for its own. */
export const unusedCodes = (sources: readonly Source[]): string[] => {
  const table = sources.find(({ path }) => path === ERROR_TABLE);
  const codes = [...(table?.text.matchAll(/^ {2}(\w+): \[/gm) ?? [])].map(([, code = '']) => code);
  const thrown = sources
    .filter(({ path }) => path.startsWith('src/') && path !== ERROR_TABLE)
    .map(({ text }) => text.replaceAll(LISTS_OF_CODES, ''))
    .join('\n');
  return codes.filter((code) => !thrown.includes(`'${code}'`)).map((code) => `${ERROR_TABLE}: nothing throws ${code}`);
};

const readSources = (root: string): Source[] =>
  globSync(['src/**/*.{ts,tsx}', 'scripts/**/*.ts', 'test/**/*.ts'], { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
  const sources = readSources(root);
  const count = sources.filter(({ path }) => path.startsWith('src/')).flatMap(exportsOf).length;
  const faults = [...unusedExports(sources), ...unusedCodes(sources)];
  if (count < FEWEST_EXPORTS) faults.push(`only ${count} exports seen in ${relative(process.cwd(), root) || '.'}`);
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) console.log(`${count} exports, each of use`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
