/** The public form of an event: interface section 6. */

import { isoTime } from '../kernel/clock.ts';
import type { StoredEvent } from '../store/events/event-log.ts';

export interface Envelope {
  /** `evt_…`: the delivery's id, the same for every receiver of the event. */
  id: string;
  event: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export const toEnvelope = ({ id, name, createdAt, data }: Omit<StoredEvent, 'seq'>): Envelope => ({
  id,
  event: name,
  timestamp: isoTime(createdAt),
  data,
});
