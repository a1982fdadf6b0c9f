/** Who did what, the newest first. Kept for a year. */

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { isLive, useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { TitleRow } from '../frame/bar.tsx';
import { useBackUp } from '../instance/back-up-now.tsx';
import { Button, Select } from '../pieces/controls.tsx';
import { now, shortTime, timeWithSeconds, wholeTime } from '../pieces/format.ts';
import { Find, useTyped } from '../pieces/inputs.tsx';
import { Badge } from '../pieces/marks.tsx';
import { Pager, usePages } from '../pieces/pager.tsx';
import { Empty, Show } from '../pieces/states.tsx';
import { Table } from '../pieces/table.tsx';

type Act = Answer<'activity', 'list'>['activity'][number];

const PAGE = 50;

/** Today with seconds, as in a log; earlier with its day. */
const When = ({ at }: { at: string }) => {
  const isToday = new Date(at).toDateString() === new Date(now.value).toDateString();
  return (
    <time dateTime={at} title={wholeTime(at)}>
      {isToday ? timeWithSeconds(at) : `${shortTime(at)} ${timeWithSeconds(at)}`}
    </time>
  );
};

const HIDDEN = new Set([
  'by',
  'secret_id',
  'webhook_id',
  'domain_id',
  'grant_id',
  'client_id',
  'note_id',
  'by_key',
  'by_network',
  'pending_id',
  'message_id',
  'delivery_id',
  'rule_id',
  'key_id',
  'agent_id',
]);

/** Facts in words; ids of ours say nothing to a reader. */
const detailOf = ({ detail }: Act): string =>
  Object.entries(detail)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null && String(value) !== '' && value !== false)
    .map(([name, value]) =>
      value === true
        ? name.replaceAll('_', ' ')
        : `${name.replaceAll('_', ' ')}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    )
    .join(', ');

/** A note goes by its title; one without a title has none that a reader knows. */
const subjectOf = ({ action, subject }: Act): string =>
  action.startsWith('note.') && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(subject) ? 'a note' : subject;

/** Subject and note of a decided mail are no part of the log: they stand where the mail does. */
const HeldLink = ({ act: { action, detail } }: { act: Act }) =>
  action.startsWith('pending.') && typeof detail.pending_id === 'string' ? (
    <>
      {', '}
      <Link href={`/approvals/${detail.pending_id}`}>the mail</Link>
    </>
  ) : null;

/** The nouns of actions. */
const NOUNS = [
  'agent',
  'backup',
  'connection',
  'delivery',
  'domain',
  'identity',
  'key',
  'mail',
  'note',
  'owner',
  'pending',
  'rule',
  'secret',
  'session',
  'suppression',
  'webhook',
  'workspace',
] as const;

const useActors = (): string[] => {
  const owners = useLoaded((signal) => api.owners.list({}, { signal }), 'owners');
  return [
    ...(overview.value?.agents ?? []).map(({ handle }) => handle),
    ...(owners.value?.owners ?? []).map(({ email }) => email),
    'postroom',
    'operator',
  ];
};

export const Activity = () => {
  const [text, setText] = useState('');
  const [actor, setActor] = useState('');
  const [noun, setNoun] = useState('');
  const q = useTyped(text);
  const actors = useActors();
  const backUp = useBackUp(() => void page.reload());
  const instance = useLoaded((signal) => api.instance.get({}, { signal }), 'instance');
  const isFiltered = q !== '' || actor !== '' || noun !== '';
  const filter = `${actor} ${noun} ${q}`;
  const { cursors, cursor, turn } = usePages(filter);
  const page = useLoaded(
    (signal) =>
      api.activity.list(
        {
          limit: PAGE,
          ...(cursor !== undefined && { cursor }),
          ...(q !== '' && { q }),
          ...(actor !== '' && { actor }),
          ...(noun !== '' && { action: noun }),
        },
        { signal },
      ),
    `activity ${filter} ${cursor ?? ''}`,
  );
  useLive(
    () => cursors.length === 0,
    () => void page.reload(),
  );
  const clear = (): void => {
    setText('');
    setActor('');
    setNoun('');
  };
  return (
    <>
      <TitleRow title="Activity" context={<span class="dim wide-only">kept for a year</span>}>
        {instance.value?.instance && backUp.button}
      </TitleRow>
      <div class="page">
        {backUp.failure}
        <section aria-label="Activity log">
          <div class="tools">
            <Find
              {...{ label: 'Subject or detail', placeholder: 'Subject or detail', value: text, onInput: setText }}
            />
            <Select
              label="Who"
              value={actor}
              options={[['', 'Anyone'], ...actors.map((each) => [each, each] as const)]}
              onChange={setActor}
            />
            <Select
              label="Action"
              value={noun}
              options={[['', 'Any action'], ...NOUNS.map((each) => [each, each] as const)]}
              onChange={setNoun}
            />
            {isFiltered && (
              <Button kind="quiet" icon="x" onClick={clear}>
                Clear
              </Button>
            )}
            <span class="end wide-only">
              {isLive.value ? <Badge mark="ok">Live</Badge> : <Badge mark="wait">Connecting</Badge>}
            </span>
          </div>
          <Show loaded={page} what="The activity" lines={12}>
            {({ activity, next_cursor }) => {
              return (
                <>
                  <Table
                    heads={['When', 'Who', 'Action', 'Subject', 'Via', 'Detail']}
                    of={activity}
                    isDense
                    empty={
                      <Empty icon="list" title={isFiltered ? 'Nothing matches' : 'Nothing was done yet'}>
                        {isFiltered
                          ? 'The whole year was searched.'
                          : 'Acts that change who may do what stand here, and each opening of a secret.'}
                      </Empty>
                    }
                  >
                    {(act) => (
                      <tr key={act.id}>
                        <td class="nowrap dim">
                          <When at={act.at} />
                        </td>
                        <td class="clip-cell">{act.actor}</td>
                        <td class="mono nowrap full">{act.action}</td>
                        <td class="full subject">
                          {subjectOf(act)}
                          <HeldLink act={act} />
                        </td>
                        <td class="dim wide-only">{act.via}</td>
                        <td class="dim wide-only small">{detailOf(act)}</td>
                      </tr>
                    )}
                  </Table>
                  <Pager cursors={cursors} next={next_cursor} onChange={turn} />
                </>
              );
            }}
          </Show>
        </section>
      </div>
    </>
  );
};
