/** The terms of an SPF record (RFC 7208 section 4.6.1). Pure. */

/** Ends the evaluation, so that later terms have no effect. */
const isLast = (term: string): boolean => /^(?:[-~?+]?all$|redirect=)/i.test(term);

/** A directive, or a modifier that has an effect. All else is void, and may be any words: no hint repeats them. */
const TERM = /^(?:[-~?+]?(?:all|(?:include|exists|ip4|ip6):\S+|(?:a|mx|ptr)(?:[:/]\S+)?)|(?:redirect|exp)=\S+)$/i;

const MAX_TERMS = 60;

export interface SpfTerms {
  /** Terms evaluated before the last one. */
  before: string[];
  /** `all` or `redirect=`, and later terms. */
  after: string[];
}

export const parseSpfTerms = (record: string): SpfTerms => {
  const [, ...written] = record.trim().split(/\s+/).slice(0, MAX_TERMS);
  const terms = written.filter((term) => TERM.test(term));
  const at = terms.findIndex(isLast);
  return at < 0 ? { before: terms, after: [] } : { before: terms.slice(0, at), after: terms.slice(at) };
};

/** Whether a mechanism with the qualifier pass has an effect. */
export const hasMechanism = (record: string, mechanism: string): boolean =>
  parseSpfTerms(record).before.some((term) => term.replace(/^\+/, '').toLowerCase() === mechanism.toLowerCase());

/** The record with mechanisms added where they have an effect. */
export const withMechanisms = (record: string, mechanisms: readonly string[]): string => {
  const { before, after } = parseSpfTerms(record);
  return ['v=spf1', ...new Set([...before, ...mechanisms]), ...after].join(' ');
};

export const withoutTerms = (record: string, terms: readonly string[]): string => {
  const { before, after } = parseSpfTerms(record);
  return ['v=spf1', ...[...before, ...after].filter((term) => !terms.includes(term))].join(' ');
};

/** A term that is an error where its domain has no SPF record (RFC 7208 sections 5.2 and 6.1). */
export interface Reference {
  term: string;
  domain: string;
}

/** The `include:` and `redirect=` terms; a domain with macros is left out. */
export const parseReferences = (record: string): Reference[] => {
  const { before, after } = parseSpfTerms(record);
  return [...before, ...after].flatMap((term) => {
    const domain = /^(?:[-~?+]?include:|redirect=)([^%]+)$/i.exec(term)?.[1];
    return domain === undefined ? [] : [{ term, domain }];
  });
};
