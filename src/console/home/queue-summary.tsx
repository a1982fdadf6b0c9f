/** The queue: deliveries before their first attempt, and deferred ones. */

import { Link } from 'wouter-preact';
import type { Answer } from '../api/client.ts';
import { Section } from '../components/blocks.tsx';
import { count, plural, shortTime } from '../components/format.ts';

export type Queued = Answer<'queue', 'list'>['queue'][number];

const MOST_HOSTS = 4;

interface QueueProps {
  deliveries: Queued[];
  /** Mail booked for a time, and whether there is more of it. */
  booked: number;
  hasMore: boolean;
}

export const QueueSummary = ({ deliveries, booked, hasMore }: QueueProps) => {
  const waiting = deliveries.filter(({ status }) => status === 'queued');
  const hosts = [
    ...Map.groupBy(
      deliveries.filter(({ status }) => status === 'deferred'),
      ({ remote_host, address }) => remote_host ?? address.split('@')[1] ?? '',
    ),
  ].toSorted(([, a], [, b]) => b.length - a.length);
  return (
    <Section
      title="Queue"
      end={deliveries.length > 0 && <Link href="/queue">{count(deliveries.length)} under way</Link>}
    >
      <ul class="ledger panel">
        {deliveries.length === 0 && (
          <li>
            <span>Nothing is under way</span>
          </li>
        )}
        {booked > 0 && (
          <li>
            <Link href="/queue">{`${count(booked)}${hasMore ? ' or more' : ''} booked`}</Link>
          </li>
        )}
        {waiting.length > 0 && (
          <li>
            <span>{count(waiting.length)} queued</span>
          </li>
        )}
        {hosts.slice(0, MOST_HOSTS).map(([host, of]) => (
          <li key={host}>
            <span>
              {count(of.length)} deferred at <span class="mono inline">{host}</span>
            </span>
            <span class="dim">{of[0]?.next_attempt_at ? `next ${shortTime(of[0].next_attempt_at)}` : ''}</span>
            {of[0]?.last_response && <span class="mono clip">{of[0].last_response}</span>}
          </li>
        ))}
        {hosts.length > MOST_HOSTS && (
          <li>
            <span class="dim">and {plural(hosts.length - MOST_HOSTS, 'other host')}</span>
          </li>
        )}
      </ul>
    </Section>
  );
};
