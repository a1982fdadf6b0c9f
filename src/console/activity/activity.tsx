/** The activity log, the newest first. Kept for a year. */

import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { isLive, useAnswer, useLive } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { Empty, Show, Table } from '../components/blocks.tsx';
import { ActFailure, Button, Select, useAct } from '../components/controls.tsx';
import { now, shortTime, timeWithSeconds, wholeTime } from '../components/format.ts';
import { Find, useFind } from '../components/inputs.tsx';
import { Badge } from '../components/marks.tsx';
import { Pager, usePaged } from '../components/pager.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { useBackUp } from '../instance/back-up-now.tsx';
import { exportActs, FILTERS, NO_FILTERS, toInput, useFilters } from './filters.ts';

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

/** Facts as text; internal ids are left out. */
const detailOf = ({ detail }: Act): string =>
  Object.entries(detail)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null && String(value) !== '' && value !== false)
    .map(([name, value]) =>
      value === true
        ? name.replaceAll('_', ' ')
        : `${name.replaceAll('_', ' ')}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    )
    .join(', ');

/** A note is shown by its title, or not at all. */
const subjectOf = ({ action, subject }: Act): string =>
  action.startsWith('note.') && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(subject) ? 'a note' : subject;

/** The mail of the act, while it is kept, with the note of a decision. */
const AboutMail = ({ act: { detail, mail } }: { act: Act }) => {
  if (!mail) return null;
  const { subject, agent, thread_id: thread, note } = mail;
  const href =
    typeof detail.pending_id === 'string' ? `/approvals/${detail.pending_id}` : `/agents/${agent}/threads/${thread}`;
  const words = subject === '' ? 'the mail' : subject;
  return (
    <>
      {': '}
      {agent === null ? (
        <bdi>{words}</bdi>
      ) : (
        <Link href={href}>
          <bdi>{words}</bdi>
        </Link>
      )}
      {note && <span class="dim"> “{note}”</span>}
    </>
  );
};

/** The nouns of actions. */
const NOUNS = [
  'agent',
  'backup',
  'connection',
  'contact',
  'delivery',
  'domain',
  'identity',
  'key',
  'list',
  'mail',
  'message',
  'note',
  'owner',
  'pending',
  'rule',
  'secret',
  'session',
  'source',
  'suppression',
  'webhook',
  'workspace',
] as const;

const useActors = (): string[] => {
  const owners = useAnswer(api.owners.list, {});
  return [
    ...(overview.value?.agents ?? []).map(({ handle }) => handle),
    ...(owners.value?.owners ?? []).map(({ email }) => email),
    'postroom',
    'operator',
  ];
};

const ActRow = ({ act }: { act: Act }) => {
  const [isOpen, setOpen] = useState(false);
  const more = isOpen ? 'dim full' : 'dim wide-only';
  return (
    <tr>
      <td class="nowrap dim">
        <When at={act.at} />
      </td>
      <td class="clip-cell">{act.actor}</td>
      <td class="mono nowrap full">
        {act.action}
        <button type="button" class="link phone more-facts" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Less' : 'More'}
        </button>
      </td>
      <td class="full subject">
        {subjectOf(act)}
        <AboutMail act={act} />
      </td>
      <td class={more}>{isOpen ? `via ${act.via}, ${wholeTime(act.at)}` : act.via}</td>
      <td class={`${more} small`}>{detailOf(act)}</td>
    </tr>
  );
};

const DayField = ({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) => (
  <label class="day-field">
    {label}
    <input class="input" type="date" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  </label>
);

export const Activity = () => {
  const [filters, setFilters] = useFilters();
  const { q, setText, find } = useFind(filters.q);
  useEffect(() => {
    if (q !== filters.q) setFilters({ q });
  }, [q]);
  const actors = useActors();
  const exporting = useAct();
  const backUp = useBackUp(() => void page.reload());
  const instance = useAnswer(api.instance.get, {});
  const isFiltered = FILTERS.some((name) => filters[name] !== '');
  const filter = JSON.stringify(filters);
  const { page, pages, isFirst } = usePaged(`activity ${filter}`, (at, options) =>
    api.activity.list({ ...toInput(filters), limit: PAGE, ...at }, options),
  );
  useLive(
    () => isFirst,
    () => void page.reload(),
  );
  const clear = (): void => {
    setText('');
    setFilters(NO_FILTERS);
  };
  return (
    <>
      <TitleRow title="Activity" context={<span class="dim wide-only">kept for a year</span>}>
        <Button
          words="Export CSV"
          busy={exporting.isBusy && 'Exporting…'}
          onClick={() => exporting.run(() => exportActs(filters))}
        />
        {instance.value?.instance?.backups && backUp.button}
      </TitleRow>
      <div class="page">
        {backUp.failure}
        <ActFailure text={exporting.failure} />
        <section aria-label="Activity log">
          <div class="tools">
            <Find label="Name or detail of the act" placeholder="Name or detail" {...find} />
            <Select
              label="Who"
              value={filters.who}
              options={[['', 'Anyone'], ...actors.map((each) => [each, each] as const)]}
              onChange={(who) => setFilters({ who })}
            />
            <Select
              label="Action"
              value={filters.action}
              options={[['', 'Any action'], ...NOUNS.map((each) => [each, each] as const)]}
              onChange={(action) => setFilters({ action })}
            />
            <DayField label="From" value={filters.from} onChange={(from) => setFilters({ from })} />
            <DayField label="To" value={filters.to} onChange={(to) => setFilters({ to })} />
            {isFiltered && <Button words="Clear" kind="quiet" icon="x" onClick={clear} />}
            <span class="end wide-only">
              {isLive.value ? <Badge mark="ok">Live</Badge> : <Badge mark="wait">Connecting</Badge>}
            </span>
          </div>
          <Show loaded={page} what="The activity" shape="table" lines={12}>
            {({ activity, next_cursor }) => (
              <>
                <Table
                  heads={['When', 'Who', 'Action', 'Subject', 'Via', 'Detail']}
                  of={activity}
                  isDense
                  class="acts-log"
                  empty={
                    <Empty icon="list" title={isFiltered ? 'Nothing matches' : 'Nothing was done yet'}>
                      {isFiltered
                        ? 'The names and details of the whole year were searched; the words of mail are found in Mail.'
                        : 'Sends and bounces stand here, what was deleted, acts that change who may do what, and each opening of a secret.'}
                    </Empty>
                  }
                >
                  {(act) => <ActRow key={act.id} act={act} />}
                </Table>
                <Pager {...pages} next={next_cursor} />
              </>
            )}
          </Show>
        </section>
      </div>
    </>
  );
};
