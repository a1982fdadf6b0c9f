import { waitInSlot } from '../../events/listening-slots.ts';
import { DAY, isoTime, type Millis, SECOND } from '../../kernel/clock.ts';
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { StoredEvent } from '../../store/events/event-log.ts';
import { EVENT_RETENTION_MS } from '../../webhooks/webhook-retention.ts';
import type { Needs } from '../needs.ts';
import type { changesContract } from './contract.ts';

const view = ({ id, name, createdAt, data }: StoredEvent) => ({
  id,
  at: isoTime(createdAt),
  event: name,
  message_id: null,
  thread_id: null,
  ...data,
});

const TOO_OLD = `This cursor is older than the ${EVENT_RETENTION_MS / DAY} days for which changes are kept: begin without one, and list_messages has the mail since.`;

const BEGINS_NOW =
  'Without a cursor this begins now: keep `next_cursor`. `list_messages` (GET /v1/messages) with `since` has the mail before.';

export const createChanges = ({
  feed,
  slots,
  clock,
}: Needs<'feed' | 'slots' | 'clock'>): Handlers<typeof changesContract> => {
  /** A cursor also has the time up to which all changes were returned; it shows whether later ones are purged. */
  const readPosition = (cursor: string): number => {
    const [position, at] = decodeCursor(cursor, 'integer', 'integer') as [number, Millis];
    if (at < clock.now() - EVENT_RETENTION_MS) throw new ApiError('invalid_request', { hint: TOO_OLD });
    return position;
  };

  return {
    list: async (caller, { cursor, limit, wait }, { signal }) => {
      const of = { workspaceId: caller.workspaceId, mailboxId: caller.mailboxId };
      const start = cursor === undefined ? await feed.positionOf(of.workspaceId, null) : readPosition(cursor);
      const read = async () => {
        const now = clock.now();
        return { now, ...(await feed.page(of, start ?? 0, limit)) };
      };
      let page = await read();
      if (page.events.length === 0 && !page.more && wait > 0) {
        const { until } = page;
        await waitInSlot(slots, { who: caller, timeoutMs: wait * SECOND, ends: [signal] }, async (end) => {
          for await (const _ of feed.read(of, until, end)) break;
        });
        page = await read();
      }
      const { events, until, more, now } = page;
      const told = more ? (events.at(-1)?.createdAt ?? now) : now;
      const hint = cursor === undefined ? BEGINS_NOW : null;
      return { changes: events.map(view), next_cursor: encodeCursor(until, told), more, hint };
    },
  };
};
