/** The OpenSPF suite for RFC 7208: its cases, and each scenario's zone as records or as a resolver. */

import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { DnsResolve } from '../../src/mail/auth/bounded-resolver.ts';
import { corpusPath } from './corpora.ts';

export interface SpfCase {
  readonly name: string;
  readonly helo: string;
  /** The client's address. */
  readonly host: string;
  readonly mailFrom: string;
  /** Any of these is right. */
  readonly results: readonly string[];
}

export interface SpfScenario {
  readonly description: string;
  readonly cases: readonly SpfCase[];
  /** Records by name in lower case, in their order; TIMEOUT stands where the rest of a name goes unanswered. */
  readonly zone: ReadonlyMap<string, readonly ZoneEntry[]>;
}

export type ZoneEntry = 'TIMEOUT' | { readonly type: string; readonly value: unknown };

interface Written {
  description: string;
  tests: Record<string, { helo: string; host: string; mailfrom: string; result: string | string[] }>;
  zonedata?: Record<string, ('TIMEOUT' | Record<string, unknown>)[]>;
}

/** SPF records stand for TXT records as well, unless the name has TXT records of its own (the suite's convention). */
const entriesOf = (records: readonly ('TIMEOUT' | Record<string, unknown>)[]): ZoneEntry[] => {
  const entries = records.flatMap((record): ZoneEntry[] =>
    record === 'TIMEOUT' ? ['TIMEOUT'] : Object.entries(record).map(([type, value]) => ({ type, value })),
  );
  const hasTxt = entries.some((entry) => entry !== 'TIMEOUT' && entry.type === 'TXT');
  return entries.flatMap((entry): ZoneEntry[] => {
    if (entry === 'TIMEOUT') return [entry];
    if (entry.type === 'TXT') return entry.value === 'NONE' ? [] : [entry];
    return entry.type === 'SPF' ? (hasTxt ? [] : [{ ...entry, type: 'TXT' }]) : [entry];
  });
};

export const readSpfSuite = (): SpfScenario[] => {
  const text = readFileSync(corpusPath('spf-rfc7208', 'rfc7208-tests.yml'), 'utf8');
  const documents = [parseAllDocuments(text)].flat().map((document) => document.toJS() as Written | null);
  return documents
    .filter((written) => written !== null)
    .map(({ description, tests, zonedata = {} }) => ({
      description,
      cases: Object.entries(tests).map(([name, { helo, host, mailfrom, result }]) => ({
        name,
        helo,
        host,
        mailFrom: mailfrom,
        results: [result].flat(),
      })),
      zone: new Map(Object.entries(zonedata).map(([name, records]) => [name.toLowerCase(), entriesOf(records)])),
    }));
};

const failure = (code: string): Error => Object.assign(new Error(code), { code });

const answerOf = (type: string, value: unknown): string | string[] | object => {
  if (type === 'TXT') return [value].flat().map(String);
  if (type !== 'MX') return String(value);
  const [priority, exchange] = value as [number, string];
  return { priority, exchange };
};

/** Answers as node:dns does; aliases are followed, as every recursive resolver does. */
export const resolverOfZone = (zone: SpfScenario['zone']): DnsResolve => {
  const ask = (name: string, type: string, aliases: number): (string | string[] | object)[] => {
    const entries = zone.get(name.toLowerCase().replace(/\.$/, ''));
    if (!entries) throw failure('ENOTFOUND');
    const found = entries.filter((entry) => entry !== 'TIMEOUT' && entry.type === type) as { value: unknown }[];
    if (found.length > 0) {
      // One of the records may itself be what goes unanswered.
      if (found.some(({ value }) => value === 'TIMEOUT')) throw failure('ETIMEOUT');
      return found.map(({ value }) => answerOf(type, value));
    }
    if (entries.includes('TIMEOUT')) throw failure('ETIMEOUT');
    const alias = entries.find((entry) => entry !== 'TIMEOUT' && entry.type === 'CNAME');
    if (alias && alias !== 'TIMEOUT' && aliases < 10) return ask(String(alias.value), type, aliases + 1);
    throw failure('ENODATA');
  };
  return async (name, type) => ask(name, type, 0) as object[];
};
