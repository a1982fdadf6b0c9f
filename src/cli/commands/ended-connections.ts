/** Formats the connections and endpoints that ended with an act. */

import type { z } from 'zod';
import type { endedShape } from '../../resources/connections/contract.ts';
import { printable } from '../table.ts';

type Ended = z.infer<typeof endedShape>;

export const formatEndedWebhooks = (webhooks: Ended['webhooks']): string[] =>
  webhooks.map(({ id, url }) => `The webhook endpoint ${printable(url)} (${id}), which it had made, ended with it.`);

export const formatEndedScheduled = (scheduled: Ended['scheduled']): string[] =>
  scheduled.map(
    ({ scheduled_id: id, to, send_at: at }) =>
      `Mail to ${printable(to.join(', '))} for ${at} (${id}) is cancelled with it.`,
  );

export const formatEnded = ({ connections, webhooks, scheduled }: Ended): string[] => [
  ...connections.map(
    ({ id, client_name: name }) =>
      `The connection of "${printable(name)}" (${id}), which was for nothing else, is cut off.`,
  ),
  ...webhooks.map(
    ({ id, url }) => `The webhook endpoint ${printable(url)} (${id}), which a connection had made, has ended.`,
  ),
  ...formatEndedScheduled(scheduled),
];
