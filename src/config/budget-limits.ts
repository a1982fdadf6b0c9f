/** What outsiders and keys may occupy at once (budget/budget.ts), each key with its default and the reason for it. */

import { z } from 'zod';
import { bytes } from './config-values.ts';

const count = z.int('a whole number').min(1, 'a whole number, 1 or more');
const seconds = z.number('a number of seconds').positive('a number of seconds above 0').max(86_400, 'at most a day');
const secondsOrNone = z.number('a number of seconds').min(0, 'a number of seconds, 0 or more').max(60, 'at most 60');

export const budgetLimits = {
  // Each costs a descriptor and some kilobytes.
  smtp_connections: count.prefault(900),
  // Postfix's smtpd_client_connection_count_limit. A big host keeps some ten open; one that wants all gets no more.
  smtp_connections_per_network: count.prefault(50),
  http_connections: count.prefault(1_600),
  // Twenty agents behind one address, each with its twenty streams and waits; or one that makes all its calls at once.
  http_connections_per_network: count.prefault(400),
  // A connection that is idle for so long makes room for another once every place is taken.
  give_way_seconds: secondsOrNone.prefault(10),
  // A client sends its header at once; the TLS handshake before it is a few round trips.
  http_header_seconds: seconds.prefault(10),
  // The store has about ten, each worker thread as many, a delivery or a webhook one each.
  descriptor_reserve: count.prefault(256),
  // Ten of the largest messages. Each is held about twice while it is checked.
  message_bytes: bytes.prefault(268_435_456),
  // An eighth of it; never less than the largest message (config.ts).
  message_bytes_per_network: bytes.prefault(33_554_432),
  // Four of the largest bodies. A body is held up to four times while it is parsed and composed.
  body_bytes: bytes.prefault(134_217_728),
  body_bytes_per_workspace: bytes.prefault(67_108_864),
  // The largest body, and a small one beside it.
  body_bytes_per_key: bytes.prefault(41_943_040),
  // A modem of 1990 sends more.
  least_bytes_per_second: count.prefault(1_000),
  speed_seconds: seconds.prefault(60),
  // Half of what the worker threads' queue takes: a message taken beyond would wait for minutes, and its client with it.
  messages_waiting: count.prefault(500),
  tasks_waiting: count.prefault(1_000),
  // Others still find room behind four that fill what they may.
  tasks_waiting_per_party: count.prefault(250),
  // Behind a longer queue a client hears "try again later" while it still listens.
  task_wait_seconds: seconds.prefault(60),
  // One thread each.
  searches: count.max(8, 'at most 8').prefault(2),
  searches_waiting: count.prefault(100),
  searches_waiting_per_workspace: count.prefault(20),
  search_wait_seconds: seconds.prefault(10),
  // A search that takes longer is answered with what was ranked by then.
  search_seconds: seconds.max(20, 'at most 20').prefault(2),
};
