/** The figures of a whole run beside those that were kept for this kind of machine: what fell is told. */

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { Figure, Table } from './bench.ts';

const KEPT = join(import.meta.dirname, 'kept.json');
/** Falls of less are the machine's. */
const MOST_FALL = 0.1;

export type Figures = Readonly<Record<string, Figure>>;
type KeptFigures = Readonly<Record<string, number>>;

interface Kept {
  /** Of test/flows/operate/mail-cost.test.ts. */
  inbound500: unknown;
  machines: Record<string, KeptFigures>;
}

const readKept = (): Kept => JSON.parse(readFileSync(KEPT, 'utf8')) as Kept;

export const machineKind = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`;

export interface Comparison {
  readonly table: Table;
  /** Names of the figures that fell. */
  readonly fallen: string[];
  /** Whether figures of this kind of machine were kept. */
  readonly isCompared: boolean;
}

/** @param kept those of this machine; undefined: none were kept yet */
export const compareFigures = (
  figures: Figures,
  kept: KeptFigures | undefined = readKept().machines[machineKind()],
): Comparison => {
  const names = Object.keys({ ...kept, ...figures });
  const fallen = names.filter((name) => {
    const before = kept?.[name];
    if (before === undefined) return false;
    const { value = Number.NaN, isLessBetter } = figures[name] ?? {};
    // One that is no longer measured has fallen, too.
    return !(isLessBetter ? value <= before * (1 + MOST_FALL) : value >= before * (1 - MOST_FALL));
  });
  const rows = names.map((name) => {
    const { value, goal, isLessBetter } = figures[name] ?? {};
    const isMet = value !== undefined && goal !== undefined && (isLessBetter ? value <= goal : value >= goal);
    return [
      ...[name, value ?? '-', goal === undefined ? '-' : `${isLessBetter ? '≤' : '≥'} ${goal}`, isMet ? 'met' : ''],
      ...[kept?.[name] ?? '-', fallen.includes(name) ? 'fallen' : ''],
    ];
  });
  const title = `Figures on ${machineKind()}`;
  return {
    table: { title, columns: ['work', 'now', 'goal', '', 'kept', ''], rows },
    fallen,
    isCompared: kept !== undefined,
  };
};

/** Keeps these figures for this kind of machine. */
export const keepFigures = (figures: Figures): void => {
  const broken = Object.entries(figures).find(([, { value }]) => !Number.isFinite(value));
  if (broken) throw new Error(`${broken[0]} has no figure: nothing is kept.`);
  const kept = readKept();
  kept.machines[machineKind()] = Object.fromEntries(Object.entries(figures).map(([name, { value }]) => [name, value]));
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
};
