/** Queued deliveries: the reason that each waits, in the remote's words; each can be attempted now, or cancelled. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { type Loaded, useAnswer, useReloadAfter } from '../api/loaded.ts';
import { workspace } from '../api/session.ts';
import { Empty, Section, Show, Table } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { ask, Dialog } from '../components/dialog.tsx';
import { ago, count, plural, shortTime } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';
import { RowActs } from './row-acts.tsx';

type Delivery = Answer<'queue', 'list'>['queue'][number];

/** The list has no more. */
const MOST = 1_000;
/** Rows that are drawn at once. */
const PAGE = 100;

const Transcript = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const loaded = useAnswer(api.queue.get, { delivery_id: id });
  return (
    <Dialog title="The last attempt" onClose={onClose} class="large" close="Close">
      <Show loaded={loaded} what="The transcript" lines={8}>
        {({ transcript }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
          <pre class="source" tabIndex={0}>
            {transcript ?? 'No session was opened yet.'}
          </pre>
        )}
      </Show>
    </Dialog>
  );
};

interface RowProps {
  delivery: Delivery;
  isPaused: boolean;
  retry: () => void;
  cancel: () => void;
  look: () => void;
}

const Row = ({ delivery, isPaused, retry, cancel, look }: RowProps) => (
  <tr>
    <td class="full">
      <button type="button" class="link strong" onClick={look}>
        <bdi>{delivery.subject || '(no subject)'}</bdi>
      </button>
      <p class="dim small">
        to {delivery.address}
        <span class="phone">, {delivery.agent}</span>
      </p>
      {delivery.last_response && <p class="mono dim small">{delivery.last_response}</p>}
    </td>
    <td class="dim wide-only">{delivery.agent ?? 'removed'}</td>
    <td>
      {delivery.status === 'deferred' ? (
        <Badge mark="warn">deferred</Badge>
      ) : (
        <Badge mark="wait">{delivery.status}</Badge>
      )}
    </td>
    <td class="mono dim wide-only nowrap">{delivery.remote_host ?? 'no host yet'}</td>
    <td class="num dim wide-only">{delivery.attempts}</td>
    <td class="num dim wide-only">
      {isPaused ? 'paused' : delivery.next_attempt_at ? shortTime(delivery.next_attempt_at) : ''}
    </td>
    <td class="num dim">{ago(delivery.since)}</td>
    <td class="num full">
      <RowActs verb="Try now" disabled={isPaused} run={retry} cancel={cancel} />
    </td>
  </tr>
);

export const UnderWay = ({ list }: { list: Loaded<Answer<'queue', 'list'>> }) => {
  const act = useAct();
  const [shown, setShown] = useState(PAGE);
  const [looked, setLooked] = useState<string | null>(null);
  useReloadAfter(/^message\./, list);
  const askToCancel = ({ id, address }: Delivery): void =>
    ask({
      title: `Cancel the delivery to ${address}?`,
      verb: 'Cancel delivery',
      busy: 'Cancelling…',
      text: <p>This recipient does not get the mail; the others do. The agent sees it as cancelled.</p>,
      run: async () => {
        await api.queue.cancel({ delivery_id: id });
        await list.reload();
        return `The delivery to ${address} is cancelled`;
      },
    });
  const rows = (list.value?.queue ?? []).toSorted((one, other) => one.since.localeCompare(other.since));
  const isPaused = workspace.value?.sending_state === 'paused';
  const some = rows.length < MOST ? count(rows.length) : `the ${count(MOST)} that go next`;
  return (
    <Section title="Under way" note={rows.length > 0 && `${some}, the longest waiting first`}>
      <ActFailure text={act.failure} />
      <Show loaded={list} what="The queue" lines={5}>
        {() => (
          <Table
            heads={['Mail', 'Agent', 'State', 'Host', '#Attempts', '#Next', '#Age', '']}
            of={rows.slice(0, shown)}
            empty={
              <Empty icon="out" title="Nothing is under way">
                A mail stands here from its send until each recipient’s host took or refused it, five days at most.
              </Empty>
            }
          >
            {(delivery) => (
              <Row
                key={delivery.id}
                delivery={delivery}
                isPaused={isPaused}
                look={() => setLooked(delivery.id)}
                cancel={() => askToCancel(delivery)}
                retry={() =>
                  act.run(async () => {
                    await api.queue.retry({ delivery_id: delivery.id });
                    await list.reload();
                    return `Trying ${delivery.address} now`;
                  })
                }
              />
            )}
          </Table>
        )}
      </Show>
      {rows.length > shown && (
        <div class="pager">
          <span>
            {count(shown)} are shown, of {plural(rows.length, 'delivery', 'deliveries')}.
          </span>
          <span class="end">
            <Button words="More" isSmall onClick={() => setShown(shown + PAGE)} />
          </span>
        </div>
      )}
      {looked && <Transcript id={looked} onClose={() => setLooked(null)} />}
    </Section>
  );
};
