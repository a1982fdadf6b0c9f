/** The Cranfield collection: 1 400 abstracts, 225 questions, and which abstracts answer which. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Abstract {
  readonly number: string;
  readonly title: string;
  readonly text: string;
}

export interface Question {
  readonly text: string;
  /** Numbers of the abstracts that answer it. */
  readonly relevant: ReadonlySet<string>;
}

export interface Collection {
  readonly abstracts: readonly Abstract[];
  readonly questions: readonly Question[];
}

const fieldOf = (record: string, name: string): string =>
  (new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(record)?.[1] ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();

const recordsOf = (xml: string, name: string): string[] =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .map((part) => part.split(`</${name}>`, 1)[0] ?? '');

/** @param folder of the test data, which has it under `cranfield` */
export const readCranfield = (folder: string): Collection => {
  const read = (file: string): string => readFileSync(join(folder, 'cranfield', file), 'utf8');
  const judged = new Map<number, Set<string>>();
  for (const line of read('cranqrel.trec.txt').split('\n')) {
    const [question, , abstract, grade] = line.trim().split(/\s+/);
    if (abstract === undefined || Number(grade) < 1) continue;
    const known = judged.get(Number(question)) ?? new Set();
    judged.set(Number(question), known.add(abstract));
  }
  return {
    abstracts: recordsOf(read('cran.all.1400.xml'), 'doc').map((record) => ({
      number: fieldOf(record, 'docno'),
      title: fieldOf(record, 'title').replace(/\s+/g, ' '),
      text: fieldOf(record, 'text'),
    })),
    // The judgements count the questions in their order, whatever their numbers are.
    questions: recordsOf(read('cran.qry.xml'), 'top').map((record, at) => ({
      text: fieldOf(record, 'title').replace(/\s+/g, ' '),
      relevant: judged.get(at + 1) ?? new Set(),
    })),
  };
};

/** Normalised discounted cumulative gain of the first ten, of judgements that are yes or no. */
export const ndcgAtTen = (ranked: readonly string[], relevant: ReadonlySet<string>): number => {
  const gain = (at: number): number => 1 / Math.log2(at + 2);
  const found = ranked.slice(0, 10).reduce((sum, number, at) => sum + (relevant.has(number) ? gain(at) : 0), 0);
  let ideal = 0;
  for (let at = 0; at < Math.min(10, relevant.size); at += 1) ideal += gain(at);
  return ideal === 0 ? 0 : found / ideal;
};
