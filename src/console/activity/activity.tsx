/** Who did what, the newest first. Kept for a year. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { isLive, useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { TitleRow } from '../frame/bar.tsx';
import { now, shortTime, timeWithSeconds, wholeTime } from '../pieces/format.ts';
import { Badge, Icon } from '../pieces/marks.tsx';
import { Pager } from '../pieces/pager.tsx';
import { Empty, Show } from '../pieces/states.tsx';

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
    .filter(([name, value]) => !HIDDEN.has(name) && value !== null && value !== '' && value !== false)
    .map(([name, value]) =>
      value === true ? name.replaceAll('_', ' ') : `${name.replaceAll('_', ' ')}: ${String(value)}`,
    )
    .join(', ');

const isFound = (act: Act, words: string): boolean =>
  `${act.actor} ${act.action} ${act.subject} ${detailOf(act)}`.toLowerCase().includes(words);

export const Activity = () => {
  const [cursors, setCursors] = useState<string[]>([]);
  const [text, setText] = useState('');
  const cursor = cursors.at(-1);
  const page = useLoaded(
    (signal) => api.activity.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) }, { signal }),
    `activity ${cursor ?? ''}`,
  );
  useLive(
    () => cursors.length === 0,
    () => void page.reload(),
  );
  const words = text.trim().toLowerCase();
  return (
    <>
      <TitleRow title="Activity" context={<span class="dim wide-only">kept for a year</span>} />
      <div class="page">
        <section aria-label="Activity log">
          <div class="tools">
            <div class="find">
              <Icon name="search" />
              <input
                class="input"
                type="search"
                aria-label="Filter this page"
                placeholder="Who, action, subject or detail"
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
              <kbd aria-hidden="true">/</kbd>
            </div>
            <span class="end wide-only">
              {isLive.value ? <Badge mark="ok">Live</Badge> : <Badge mark="wait">Connecting</Badge>}
            </span>
          </div>
          <Show loaded={page} what="The activity" lines={12}>
            {({ activity, next_cursor }) => {
              const found = activity.filter((act) => isFound(act, words));
              return (
                <>
                  <div class="tw">
                    {found.length === 0 ? (
                      <Empty icon="list" title={words === '' ? 'Nothing was done yet' : 'Nothing matches on this page'}>
                        {words === ''
                          ? 'Acts that change who may do what stand here, and each opening of a secret.'
                          : 'Older pages may have it.'}
                      </Empty>
                    ) : (
                      <table class="dense cards">
                        <thead>
                          <tr>
                            {['When', 'Who', 'Action', 'Subject', 'Via', 'Detail'].map((head) => (
                              <th key={head} scope="col">
                                {head}
                              </th>
                            ))}
                          </tr>
                        </thead>
                        <tbody>
                          {found.map((act) => (
                            <tr key={act.id}>
                              <td class="nowrap dim">
                                <When at={act.at} />
                              </td>
                              <td class="clip-cell">{act.actor}</td>
                              <td class="mono nowrap full">{act.action}</td>
                              <td class="full">{act.subject}</td>
                              <td class="dim wide-only">{act.via}</td>
                              <td class="dim wide-only small">{detailOf(act)}</td>
                            </tr>
                          ))}
                        </tbody>
                      </table>
                    )}
                  </div>
                  <Pager cursors={cursors} next={next_cursor} onChange={setCursors} />
                </>
              );
            }}
          </Show>
        </section>
      </div>
    </>
  );
};
