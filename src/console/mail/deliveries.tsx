/** The delivery of a mail to each recipient, with the remote's replies. */

import type { Answer } from '../api/client.ts';
import { Time } from '../components/blocks.tsx';
import { shortTime } from '../components/format.ts';
import { type MarkName, TrackMark } from '../components/marks.tsx';

type MessageDetail = Answer<'mail', 'message'>;
type Delivery = MessageDetail['deliveries'][number];

const MARKS: Readonly<Record<Delivery['status'], MarkName>> = {
  queued: 'wait',
  deferred: 'warn',
  delivered: 'ok',
  bounced: 'bad',
  complained: 'bad',
  cancelled: 'off',
};

const nextOf = ({ status, next_attempt_at: next }: Delivery): string =>
  status === 'deferred' && next ? `, next try ${shortTime(next)}` : '';

const wayOf = ({ remote_host, tls, attempts }: Delivery): string =>
  [remote_host, tls ?? (remote_host ? 'without TLS' : null), attempts > 0 ? `attempt ${attempts}` : null]
    .filter((part) => part !== null)
    .join(', ');

export const Deliveries = ({ detail }: { detail: MessageDetail }) => (
  <ol class="track" aria-label="Deliveries">
    {detail.deliveries.map((delivery) => (
      <li key={delivery.address}>
        <TrackMark name={MARKS[delivery.status]} />
        <span class="clip">
          <span class="strong">{delivery.address}</span> {delivery.status}
          {nextOf(delivery)}
        </span>
        {delivery.last_attempt_at ? <Time at={delivery.last_attempt_at} as="seconds" /> : <span />}
        {delivery.response && <q>{delivery.response}</q>}
        <small>{wayOf(delivery)}</small>
      </li>
    ))}
  </ol>
);
