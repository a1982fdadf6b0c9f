/** The preview of an import: the count of each outcome, and its first rows. */

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Section, Table } from '../components/blocks.tsx';
import { count, plural } from '../components/format.ts';
import { Segments } from '../components/inputs.tsx';
import { Badge, type MarkName } from '../components/marks.tsx';
import type { Seen } from './contact.ts';

type Row = Seen['rows'][number];
type Outcome = Row['outcome'];

const MARKS: Readonly<Record<Outcome, readonly [MarkName, string]>> = {
  create: ['ok', 'new'],
  exists: ['off', 'there already'],
  skip: ['warn', 'skipped'],
  fail: ['bad', 'cannot be read'],
};

const REASONS: Readonly<Record<string, string>> = {
  no_email: 'no e-mail address',
  invalid_email: 'not an e-mail address',
  duplicate: 'an earlier row has the address',
  too_many_columns: 'more columns than a table has',
  unfinished: 'the card does not end',
  too_many_lines: 'the card has too many lines',
  too_large: 'the card is too large',
  nested_too_deeply: 'cards within cards',
  no_contact: 'nobody is named in it',
  too_many_contacts: 'the workspace has as many contacts as it may',
};

const whyOf = ({ reason, field, outcome, known }: Row) => {
  if (known) {
    return (
      <>
        {outcome === 'create' ? 'has an address of ' : ''}
        <Link href={`/contacts/${known.id}`}>{known.name}</Link>
        {outcome === 'exists' && ', not changed'}
      </>
    );
  }
  if (outcome === 'exists') return 'exported from here, not changed';
  if (reason === null) return null;
  if (field !== null) return `${field.replaceAll('_', ' ')}: ${reason.replaceAll('_', ' ')}`;
  return REASONS[reason] ?? reason;
};

const OUTCOMES: readonly Outcome[] = ['create', 'exists', 'skip', 'fail'];

export const Preview = ({ seen, isCards }: { seen: Seen; isCards: boolean }) => {
  const [only, setOnly] = useState<Outcome | null>(null);
  const { counts } = seen;
  const rows = seen.rows.filter(({ outcome }) => only === null || outcome === only);
  const total = OUTCOMES.reduce((sum, outcome) => sum + counts[outcome], 0);
  return (
    <Section
      title="What the import does"
      note={
        <>
          {plural(total, isCards ? 'card' : 'row')}
          {seen.columns_understood.length > 0 && `; columns read: ${seen.columns_understood.join(', ')}`}
        </>
      }
    >
      <div class="tools outcomes">
        <Segments<Outcome | null>
          label="Outcome"
          value={only}
          options={[
            [null, `All ${count(total)}`],
            ...OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
              (outcome) => [outcome, `${MARKS[outcome][1]} ${count(counts[outcome])}`] as const,
            ),
          ]}
          onChange={setOnly}
        />
      </div>
      <Table heads={['Outcome', '#Row', 'Name', 'Address', 'Company', 'Why']} of={rows} isDense>
        {(row) => (
          <tr key={`${row.outcome} ${row.place}`}>
            <td class="nowrap">
              <Badge mark={MARKS[row.outcome][0]}>{MARKS[row.outcome][1]}</Badge>
            </td>
            <td class="num dim">{row.place}</td>
            <td class="full">
              <bdi>{row.name}</bdi>
            </td>
            <td class="mono full">{row.channel}</td>
            <td class="dim wide-only">{row.company}</td>
            <td class="dim full small">{whyOf(row)}</td>
          </tr>
        )}
      </Table>
      {seen.rows.length < total && <p class="pager">The first 100 of each outcome are shown; the counts are of all.</p>}
    </Section>
  );
};
