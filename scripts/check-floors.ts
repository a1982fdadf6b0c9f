/** Fails where a file of src/ imports what its floor does not allow. The table is the design's. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve, sep } from 'node:path';

/** A file imports strictly lower floors, or its own folder. */
const FLOORS: Readonly<Record<string, number>> = {
  kernel: 0,
  budget: 1,
  mail: 1,
  net: 1,
  seal: 1,
  store: 1,
  workers: 2,
  events: 2,
  inbound: 3,
  outbound: 3,
  webhooks: 3,
  notices: 3,
  domains: 3,
  knowledge: 3,
  schedule: 3,
  access: 3,
  resources: 4,
  transports: 5,
  'box.ts': 6,
  daemon: 6,
  'app.ts': 7,
  cli: 8,
  'main.ts': 9,
};

/** Packages that only one place knows. */
const PACKAGES: readonly (readonly [name: RegExp, place: string])[] = [
  [/^(kysely|better-sqlite3)(\/|$)/, 'store/'],
  [/^(fastify$|fastify\/|@fastify\/)/, 'transports/'],
  [/^@modelcontextprotocol\//, 'transports/mcp/'],
];

const READERS_OF_THE_ENVIRONMENT = ['cli/config-file.ts', 'main.ts'];

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

const isContract = (file: string): boolean => file.endsWith('/contract.ts');
const topOf = (file: string): string => file.split('/', 1)[0] ?? '';
/** The folder that counts as one's own: of the resources each is a house for itself. */
const houseOf = (file: string): string => {
  const [top = '', name = '', ...rest] = file.split('/');
  return top === 'resources' && rest.length > 0 ? `${top}/${name}` : top;
};

/** Why an import of one of our files is not allowed; null where it is. */
const breachOfFile = ({ from, to, isType }: Import): string | null => {
  if (to.startsWith('..')) return to.endsWith('.json') ? null : 'leaves src/';
  if (isContract(from) && topOf(to) !== 'kernel' && !isContract(to))
    return 'a contract imports zod, kernel and contracts';
  if (houseOf(from) === houseOf(to)) return null;
  const [top, target] = [topOf(from), topOf(to)];
  if (top === 'console') return isContract(to) && isType ? null : 'the console imports the types of contracts only';
  if (top === 'client')
    return target === 'kernel' || isContract(to) ? null : 'the client imports kernel and contracts only';
  if (top === 'resources' && target === 'resources') {
    return isContract(to) ? null : 'a resource imports nothing of another but its contract';
  }
  const [floor, other] = [FLOORS[top], FLOORS[target]];
  if (floor === undefined) return `${top} has no floor`;
  if (other === undefined) return `${target} is on no floor below`;
  return other < floor ? null : `${target} (F${other}) is not below ${top} (F${floor})`;
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

export interface FloorReport {
  readonly files: number;
  /** One line each; empty where nothing is wrong. */
  readonly breaches: string[];
}

/**
 * Checks a source tree.
 * @param src the folder that the floors are in
 * @param fewest the least number of files that counts as having seen it
 */
export const checkFloors = (src: string, fewest = FEWEST_FILES): FloorReport => {
  const files = globSync('**/*.{ts,tsx}', { cwd: src, exclude: ['**/*.d.ts'] })
    .map((file) => file.split(sep).join('/'))
    .sort();
  const breaches: string[] = [];
  const imports: Import[] = [];
  for (const file of files) {
    const top = topOf(file);
    if (FLOORS[top] === undefined && top !== 'client' && top !== 'console')
      breaches.push(`${file}: ${top} has no floor`);
    const source = withoutComments(readFileSync(join(src, file), 'utf8'));
    if (ENVIRONMENT.test(source) && !READERS_OF_THE_ENVIRONMENT.includes(file)) {
      breaches.push(`${file}: only ${READERS_OF_THE_ENVIRONMENT.join(' and ')} read the environment`);
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

if (import.meta.main) {
  const src = resolve(process.argv[2] ?? join(import.meta.dirname, '../src'));
  const { files, breaches } = checkFloors(src);
  for (const breach of breaches) console.error(`${relative(process.cwd(), src)}/${breach}`);
  if (breaches.length === 0) console.log(`${files} files, no breach`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
