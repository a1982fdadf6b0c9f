/** The figures of a whole run beside those that were kept for this kind of machine: what fell is told. */

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { Table } from './bench.ts';

const KEPT = join(import.meta.dirname, 'kept.json');
/** Falls of less are the machine's. */
const MOST_FALL = 0.1;

/** Higher is better. */
export type Figures = Readonly<Record<string, number>>;

interface Kept {
  /** Of test/flows/operate/mail-cost.test.ts. */
  inbound500: unknown;
  machines: Record<string, Figures>;
}

const readKept = (): Kept => JSON.parse(readFileSync(KEPT, 'utf8')) as Kept;

export const machineKind = (): string =>
  `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, Node ${process.versions.node.split('.')[0]}`;

export interface Comparison {
  readonly table: Table;
  /** Names of the figures that fell. */
  readonly fallen: string[];
}

/** @param kept those of this machine; undefined: none were kept yet */
export const compareFigures = (
  figures: Figures,
  kept: Figures | undefined = readKept().machines[machineKind()],
): Comparison => {
  const names = Object.keys({ ...kept, ...figures });
  const fallen = names.filter((name) => {
    const before = kept?.[name];
    // One that is no longer measured has fallen, too.
    return before !== undefined && !((figures[name] ?? 0) >= before * (1 - MOST_FALL));
  });
  const rows = names.map((name) => [
    name,
    figures[name] ?? '-',
    kept?.[name] ?? '-',
    fallen.includes(name) ? 'fallen' : '',
  ]);
  const title = `Ratios on ${machineKind()}; higher is better`;
  return { table: { title, columns: ['work', 'now', 'kept', ''], rows }, fallen };
};

/** Keeps these figures for this kind of machine. */
export const keepFigures = (figures: Figures): void => {
  const kept = readKept();
  kept.machines[machineKind()] = figures;
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
};
