/**
 * Limits of the resources that clients and keys may use at once (budget/budget.ts), each with its default and its
 * reason.
 */

import { z } from 'zod';
import { bytes } from './config-values.ts';

export const count = z.int('a whole number').min(1, 'a whole number, 1 or more');
/** Node's timers hold at most 24 days; a day exceeds all of these. */
export const seconds = z
  .number('a number of seconds')
  .positive('a number of seconds above 0')
  .max(86_400, 'at most a day');
export const secondsOrNone = z
  .number('a number of seconds')
  .min(0, 'a number of seconds, 0 or more')
  .max(60, 'at most 60');

export const budgetLimits = {
  // Each costs a descriptor and some kilobytes.
  smtp_connections: count.prefault(900),
  // Postfix's smtpd_client_connection_count_limit. A large host keeps some ten open.
  smtp_connections_per_network: count.prefault(50),
  http_connections: count.prefault(1_600),
  // Twenty agents behind one address, each with twenty streams and waits; or one that makes all its calls at once.
  http_connections_per_network: count.prefault(400),
  // A truncated answer is asked for again over TCP, by a resolver that then closes. Taken from descriptor_reserve.
  dns_connections: count.prefault(100),
  dns_connections_per_network: count.prefault(20),
  // At the connection limit, a connection that has been idle for this long is evicted.
  give_way_seconds: secondsOrNone.prefault(10),
  // A client sends its header at once; the TLS handshake before it takes a few round trips.
  http_header_seconds: seconds.prefault(10),
  // The store uses about ten, each worker thread as many, a delivery or a webhook one each.
  descriptor_reserve: count.prefault(256),
  // Ten messages of the maximum size. Each is held about twice while it is verified.
  message_bytes: bytes.prefault(268_435_456),
  // An eighth of the total; never less than the maximum message size (config.ts).
  message_bytes_per_network: bytes.prefault(33_554_432),
  // Four bodies of the maximum size. A body is held up to four times while it is parsed and composed.
  body_bytes: bytes.prefault(134_217_728),
  body_bytes_per_workspace: bytes.prefault(67_108_864),
  // A body of the maximum size, with a small one beside it.
  body_bytes_per_key: bytes.prefault(41_943_040),
  // Below the rate of a modem of 1990.
  least_bytes_per_second: count.prefault(1_000),
  speed_seconds: seconds.prefault(60),
  // Half of what calls have: a message beyond it would wait for minutes, and its client with it.
  messages_waiting: count.prefault(500),
  tasks_waiting: count.prefault(1_000),
  // Leaves capacity for other parties while four fill their limits.
  tasks_waiting_per_party: count.prefault(250),
  // With a longer queue a client would time out before it receives "try again later".
  task_wait_seconds: seconds.prefault(60),
  // One thread each.
  searches: count.max(8, 'at most 8').prefault(2),
  searches_waiting: count.prefault(100),
  searches_waiting_per_workspace: count.prefault(20),
  search_wait_seconds: seconds.prefault(10),
  // A search that takes longer returns the results ranked so far.
  search_seconds: seconds.max(20, 'at most 20').prefault(2),
};
