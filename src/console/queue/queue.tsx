/** Deliveries under way: why each waits, in the remote's own words; one attempted now, or taken out. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { TitleRow } from '../frame/bar.tsx';
import { ActFailure, Button, useAct } from '../pieces/controls.tsx';
import { Ask, Dialog } from '../pieces/dialog.tsx';
import { plural, shortTime } from '../pieces/format.ts';
import { Badge } from '../pieces/marks.tsx';
import { Empty, Show } from '../pieces/states.tsx';
import { Table } from '../pieces/table.tsx';

type Delivery = Answer<'queue', 'list'>['queue'][number];

/** The list has 1 000 at most; so many rows are drawn. */
const MOST_SHOWN = 200;

const Transcript = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const loaded = useLoaded((signal) => api.queue.get({ delivery_id: id }, { signal }), id);
  return (
    <Dialog title="The last attempt" onClose={onClose} class="large">
      <Show loaded={loaded} what="The transcript" lines={8}>
        {({ transcript }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
          <pre class="source" tabIndex={0}>
            {transcript ?? 'No session was opened yet.'}
          </pre>
        )}
      </Show>
      <div class="acts">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
};

interface RowProps {
  delivery: Delivery;
  retry: () => void;
  cancel: () => void;
  look: () => void;
}

const Row = ({ delivery, retry, cancel, look }: RowProps) => (
  <tr>
    <td class="full">
      <button type="button" class="link accent strong" onClick={look}>
        {delivery.address}
      </button>
      {delivery.last_response && <p class="mono dim small">{delivery.last_response}</p>}
    </td>
    <td>
      {delivery.status === 'deferred' ? (
        <Badge mark="warn">deferred</Badge>
      ) : (
        <Badge mark="wait">{delivery.status}</Badge>
      )}
    </td>
    <td class="dim wide-only">{delivery.remote_host ?? 'no host yet'}</td>
    <td class="num dim wide-only">{delivery.attempts}</td>
    <td class="num dim">{delivery.next_attempt_at ? shortTime(delivery.next_attempt_at) : ''}</td>
    <td class="num full">
      <span class="acts-inline">
        <Button isSmall onClick={retry}>
          Try now
        </Button>
        <Button isSmall kind="danger" onClick={cancel}>
          Cancel
        </Button>
      </span>
    </td>
  </tr>
);

export const Queue = () => {
  const list = useLoaded((signal) => api.queue.list({}, { signal }), 'queue');
  const act = useAct();
  const [cancelled, setCancelled] = useState<Delivery | null>(null);
  const [looked, setLooked] = useState<string | null>(null);
  useLive(
    (event) => event === null || event.event.startsWith('message.'),
    () => void list.reload(),
  );
  const rows = list.value?.queue ?? [];
  return (
    <>
      <TitleRow title="Queue" context={list.value && <span class="dim">{rows.length} under way</span>} />
      <div class="page">
        <Show loaded={list} what="The queue" lines={8}>
          {() => (
            <section aria-label="Deliveries under way">
              {act.failure && <ActFailure text={act.failure} />}
              <Table
                heads={['Recipient', 'State', 'Host', '#Attempts', '#Next', '']}
                of={rows.slice(0, MOST_SHOWN)}
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
                    look={() => setLooked(delivery.id)}
                    cancel={() => setCancelled(delivery)}
                    retry={() =>
                      void act.run(async () => {
                        await api.queue.retry({ delivery_id: delivery.id });
                        await list.reload();
                        return `Trying ${delivery.address} now`;
                      })
                    }
                  />
                )}
              </Table>
              {rows.length > MOST_SHOWN && (
                <p class="pager">
                  The {MOST_SHOWN} that are next are shown, of {plural(rows.length, 'delivery', 'deliveries')}.
                </p>
              )}
            </section>
          )}
        </Show>
      </div>
      {looked && <Transcript id={looked} onClose={() => setLooked(null)} />}
      {cancelled && (
        <Ask
          title={`Cancel the delivery to ${cancelled.address}?`}
          verb="Cancel delivery"
          busy="Cancelling…"
          isDanger
          onClose={() => setCancelled(null)}
          run={async () => {
            await api.queue.cancel({ delivery_id: cancelled.id });
            await list.reload();
            return `The delivery to ${cancelled.address} is cancelled`;
          }}
        >
          <p>This recipient does not get the mail; the others do. The agent sees it as cancelled.</p>
        </Ask>
      )}
    </>
  );
};
