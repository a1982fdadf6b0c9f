/**
 * One record to publish: its state, and name and value to copy; where they differ, the found value above the wanted
 * one.
 */

import type { Answer } from '../api/client.ts';
import { CopyValue } from '../components/copy.tsx';
import { Badge, type MarkName } from '../components/marks.tsx';

export type Domain = Answer<'domains', 'list'>['domains'][number];
type DnsRecord = Domain['records'][number];

const MARKS: Readonly<Record<DnsRecord['status'], MarkName>> = {
  found: 'ok',
  missing: 'warn',
  mismatch: 'bad',
  unchecked: 'off',
};

const PURPOSES: Readonly<Record<DnsRecord['purpose'], string>> = {
  mx: 'MX',
  dkim: 'DKIM',
  spf: 'SPF',
  dmarc: 'DMARC',
  ownership: 'Ownership',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS-RPT',
};

/** Two DKIM keys stand side by side, of two algorithms (RFC 8463). */
const purposeOf = ({ purpose, value }: DnsRecord): string => {
  if (purpose !== 'dkim') return PURPOSES[purpose];
  return /\bk=ed25519\b/.test(value) ? 'DKIM, Ed25519' : 'DKIM, RSA';
};

/** The problem in a few words; null: none. */
export const problemOf = (record: DnsRecord): string | null => {
  if (record.status === 'missing') return `${purposeOf(record)} missing`;
  return record.status === 'mismatch' ? `${purposeOf(record)} differs` : null;
};

const publishedValue = ({ priority, value }: DnsRecord): string => (priority === null ? value : `${priority} ${value}`);

/** Shows the ends of a key; copying takes all of it. */
const byEnds = (value: string): string => value.replace(/\bp=([\w+/]{12})[\w+/=]+([\w+/=]{6})/, 'p=$1…$2');

/** Leaves the common beginning and end unmarked. */
const differenceOf = (found: string, wanted: string) => {
  let start = 0;
  while (start < found.length && found[start] === wanted[start]) start += 1;
  let end = 0;
  while (end < found.length - start && end < wanted.length - start && found.at(-1 - end) === wanted.at(-1 - end))
    end += 1;
  const part = (text: string) => [
    text.slice(0, start),
    text.slice(start, text.length - end),
    text.slice(text.length - end),
  ];
  return { found: part(found), wanted: part(wanted) };
};

const Compared = ({ record }: { record: DnsRecord }) => {
  const wanted = publishedValue(record);
  const [first = ''] = record.found;
  const { found, wanted: publish } = differenceOf(first, wanted);
  return (
    <dl class="cmp">
      <dt>Found</dt>
      <dd class="val">
        {found[0]}
        <del>{found[1]}</del>
        {found[2]}
        {record.found.length > 1 && <span class="dim"> and {record.found.length - 1} more</span>}
      </dd>
      <dt>Publish</dt>
      <dd class="val">
        {publish[0]}
        <ins>{publish[1]}</ins>
        {publish[2]}
      </dd>
    </dl>
  );
};

/** @param shared text for several records, shown once above them */
export const RecordRow = ({ record, shared }: { record: DnsRecord; shared: ReadonlySet<string> }) => (
  <tr>
    <td>
      <Badge mark={MARKS[record.status]}>{record.status}</Badge>
    </td>
    <td>
      <span class="strong">{purposeOf(record)}</span>
      {record.role && record.role !== 'signing' && <span class="dim"> {record.role}</span>}
      {!record.required && <span class="faint"> optional</span>}
    </td>
    <td class="mono">{record.type}</td>
    <td class="full">
      <CopyValue value={record.name} of={`name of ${purposeOf(record)}`} />
    </td>
    <td class="full">
      {record.status === 'mismatch' && record.found.length > 0 && <Compared record={record} />}
      <CopyValue
        value={publishedValue(record)}
        shown={byEnds(publishedValue(record))}
        of={`value of ${purposeOf(record)}`}
      />
      {record.hint && !shared.has(record.hint) && <p class="dim small">{record.hint}</p>}
    </td>
  </tr>
);

/** A record as a line of a zone file (RFC 1035 section 5.1); long texts in strings of 255 octets. */
export const zoneLine = ({ name, ttl, type, priority, value }: Domain['records'][number]): string => {
  const text =
    type === 'TXT'
      ? (value.match(/.{1,255}/g) ?? ['']).map((part) => `"${part.replace(/(["\\])/g, '\\$1')}"`).join(' ')
      : `${value}.`;
  return `${name}. ${ttl} IN ${type} ${priority === null ? '' : `${priority} `}${text}`;
};
