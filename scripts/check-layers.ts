/** Fails where a file of src/ imports what its layer does not allow, and where a file or a folder has grown too large. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve, sep } from 'node:path';

/** A file imports strictly lower layers, or its own folder. The table is that of docs/architecture. */
const LAYERS: Readonly<Record<string, number>> = {
  kernel: 0,
  config: 1,
  budget: 2,
  contacts: 2,
  documents: 2,
  mail: 2,
  net: 2,
  seal: 2,
  store: 2,
  workers: 3,
  events: 3,
  activity: 3,
  'mail-log': 3,
  inbound: 4,
  outbound: 4,
  webhooks: 4,
  notices: 4,
  domains: 4,
  doctor: 4,
  knowledge: 4,
  vault: 4,
  access: 4,
  resources: 5,
  transports: 6,
  app: 7,
  cli: 8,
  'main.ts': 9,
};

/** Packages that only one place knows. */
const PACKAGES: readonly (readonly [name: RegExp, place: string])[] = [
  [/^(kysely|better-sqlite3|pg)(\/|$)/, 'store/'],
  [/^(fastify$|fastify\/|@fastify\/)/, 'transports/'],
  [/^@modelcontextprotocol\//, 'transports/mcp/'],
  [/^oidc-provider(\/|$)/, 'transports/oauth/'],
];

const READERS_OF_THE_ENVIRONMENT = ['cli/config-file.ts', 'main.ts'];

/** The engine's own method takes squared time on a run of marks. */
const NORMAL_FORM = /\.normalize\(/;
const PLACE_OF_NORMAL_FORMS = 'kernel/text/normal-form.ts';

/** Fewer files mean that the check looks at the wrong place, and its green tick is worth nothing. */
const FEWEST_FILES = 40;

interface Import {
  readonly from: string;
  /** A path below src/ where it is one of ours, else the package's name. */
  readonly to: string;
  readonly isFile: boolean;
  readonly isType: boolean;
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{},\s]+?\s*\bfrom\s*)(['"])(.+?)\2/gm;
const SIDE_EFFECT = /^\s*import\s*(['"])(.+?)\1/gm;
const CALL = /\bimport\s*\(\s*(['"`])(.+?)\1/g;
const ENVIRONMENT =
  /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|\{[^}]*\benv\b[^}]*\}\s*from\s*['"](node:)?process['"]/;

/** Blanks comments that begin a line, so that an example in one is no import. */
const withoutComments = (source: string): string => source.replace(/^\s*(\/\/|\/\*|\*).*$/gm, '');

const importsOf = (file: string, source: string): Import[] => {
  const found = [
    ...[...source.matchAll(STATEMENT)].map((match) => ({ isType: match[1] !== undefined, name: match[3] ?? '' })),
    ...[...source.matchAll(SIDE_EFFECT)].map((match) => ({ isType: false, name: match[2] ?? '' })),
    ...[...source.matchAll(CALL)].map((match) => ({ isType: false, name: match[2] ?? '' })),
  ];
  return found.map(({ isType, name }) => {
    const isFile = name.startsWith('.');
    return { from: file, to: isFile ? normalize(join(dirname(file), name)) : name, isFile, isType };
  });
};

/**
 * Folders that few others may import. Strangers' texts are read in a worker's thread, which ends where one takes too long: on
 * the event loop it would stop the daemon.
 */
const WALLS: readonly (readonly [folder: string, places: readonly string[]])[] = [
  ['store/sqlite/', ['store/']],
  ['store/postgres/', ['store/']],
  ['mail/text/', ['mail/', 'workers/']],
];

/** A resource's contract, and the lists of them. */
const isContract = (file: string): boolean => /[/-]contracts?\.ts$/.test(file);
const isView = (file: string): boolean => /\/view\.ts$/.test(file);
/** The folder, or the file at the top, that a layer is named for. The composition root counts as `app/`. */
const topOf = (file: string): string => (file === 'app.ts' ? 'app' : (file.split('/', 1)[0] ?? ''));
/** The folder that counts as a file's own: each resource is one, and the list of resources stands above all of them. */
const ownFolderOf = (file: string): string => {
  const [top = '', name = '', ...rest] = file.split('/');
  return top === 'resources' && rest.length > 0 ? `${top}/${name}` : topOf(file);
};

/** Why an import of one of the product's files is not allowed; null where it is. */
const breachOfFile = ({ from, to, isType }: Import): string | null => {
  if (to.startsWith('..')) return to.endsWith('.json') ? null : 'leaves src/';
  if (isContract(from) && topOf(to) !== 'kernel' && !isContract(to))
    return 'a contract imports zod, kernel and contracts';
  const isBehind = ([folder, places]: (typeof WALLS)[number]): boolean =>
    to.startsWith(folder) && !places.some((place) => from.startsWith(place));
  const wall = WALLS.find(isBehind);
  if (wall) return `only ${wall[1].join(' and ')} may import ${wall[0]}`;
  if (ownFolderOf(from) === ownFolderOf(to)) return null;
  const [top, target] = [topOf(from), topOf(to)];
  const isShape = isContract(to) || isView(to);
  if (top === 'console') {
    const isKnown = isShape || target === 'kernel';
    return isKnown && isType ? null : 'the console imports the types of kernel, contracts and views only';
  }
  if (top === 'client')
    return target === 'kernel' || isContract(to) ? null : 'the client imports kernel and contracts only';
  if (top === 'resources' && target === 'resources') {
    const isShared = isShape || to === 'resources/needs.ts';
    return isShared || ownFolderOf(from) === 'resources' ? null : "a resource imports another's contract and view only";
  }
  const [layer, other] = [LAYERS[top], LAYERS[target]];
  if (layer === undefined) return `${top} has no layer`;
  if (other === undefined) return `${target} is on no layer below`;
  return other < layer ? null : `${target} (layer ${other}) is not below ${top} (layer ${layer})`;
};

const breachOfPackage = ({ from, to }: Import): string | null => {
  if (isContract(from) && !/^zod(\/|$)/.test(to)) return 'a contract imports zod, kernel and contracts';
  const place = PACKAGES.find(([name]) => name.test(to))?.[1];
  return place === undefined || from.startsWith(place) ? null : `only ${place} knows ${to}`;
};

/** Every cycle once, as the files along it. */
const cyclesOf = (imports: readonly Import[]): string[][] => {
  const targets = Map.groupBy(
    imports.filter(({ isFile }) => isFile),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const path: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push([...path.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    path.push(file);
    for (const to of new Set(targets.get(file)?.map((each) => each.to))) visit(to);
    path.pop();
    done.add(file);
  };
  for (const file of targets.keys()) visit(file);
  return cycles;
};

export interface LayerReport {
  readonly files: number;
  /** One line each; empty where nothing is wrong. */
  readonly breaches: string[];
}

/**
 * Checks a source tree.
 * @param src the folder that the layers are in
 * @param fewest the least number of files that counts as having seen it
 */
export const checkLayers = (src: string, fewest = FEWEST_FILES): LayerReport => {
  const files = globSync('**/*.{ts,tsx}', { cwd: src, exclude: ['**/*.d.ts'] })
    .map((file) => file.split(sep).join('/'))
    .sort();
  const breaches: string[] = [];
  const imports: Import[] = [];
  for (const file of files) {
    const top = topOf(file);
    if (LAYERS[top] === undefined && top !== 'client' && top !== 'console')
      breaches.push(`${file}: ${top} has no layer`);
    const source = withoutComments(readFileSync(join(src, file), 'utf8'));
    if (ENVIRONMENT.test(source) && !READERS_OF_THE_ENVIRONMENT.includes(file)) {
      breaches.push(`${file}: only ${READERS_OF_THE_ENVIRONMENT.join(' and ')} read the environment`);
    }
    if (NORMAL_FORM.test(source) && file !== PLACE_OF_NORMAL_FORMS) {
      breaches.push(`${file}: toNormalForm of ${PLACE_OF_NORMAL_FORMS} takes linear time`);
    }
    imports.push(...importsOf(file, source));
  }
  for (const each of imports) {
    const breach = each.isFile ? breachOfFile(each) : breachOfPackage(each);
    if (breach) breaches.push(`${each.from} imports ${each.to}: ${breach}`);
  }
  breaches.push(...cyclesOf(imports).map((cycle) => `cycle: ${cycle.join(' -> ')}`));
  if (files.length < fewest) breaches.push(`only ${files.length} files seen, fewer than ${fewest}`);
  return { files: files.length, breaches };
};

/** More than these are not seen at a glance. */
const MOST_FILES_IN_A_FOLDER = 20;
const MOST_LINES_IN_A_FILE = 300;

/**
 * Checks the size of folders and source files.
 * @param root whose `src`, `test` and `scripts` are looked at
 * @returns one line for each that is too large; type declarations of other people's libraries are left out
 */
export const checkSizes = (root: string): string[] => {
  const files = globSync(['src/**/*.*', 'test/**/*.*', 'scripts/**/*.*'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).sort();
  const folders = Map.groupBy(files, (file) => dirname(file));
  const crowded = [...folders]
    .filter(([, inside]) => inside.length > MOST_FILES_IN_A_FOLDER)
    .map(([folder, inside]) => `${folder}: ${inside.length} files side by side, more than ${MOST_FILES_IN_A_FOLDER}`);
  const long = files
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MOST_LINES_IN_A_FILE)
    .map(({ file, lines }) => `${file}: ${lines} lines, more than ${MOST_LINES_IN_A_FILE}`);
  return [...crowded, ...long];
};

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
  const { files, breaches } = checkLayers(join(root, 'src'));
  const all = [...breaches.map((breach) => `src/${breach}`), ...checkSizes(root)];
  for (const breach of all) console.error(breach);
  if (all.length === 0) console.log(`${files} files, no breach`);
  process.exitCode = all.length === 0 ? 0 : 1;
}
