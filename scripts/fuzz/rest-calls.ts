/** HTTP requests that a client should not send: paths, queries, headers and JSON damaged. */

import type { Random } from './random.ts';

/** An operation as the daemon's own /openapi.json has it. */
export interface KnownOperation {
  readonly method: string;
  readonly path: string;
  /** Names of what its query takes. */
  readonly parameters: readonly string[];
}

export interface AgentCaller {
  readonly key: string;
  /** Ids that name something of its own, so that requests get further than "not found". */
  readonly ids: string[];
}

const STRINGS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  'a'.repeat(5_000),
  '../../etc/passwd',
  "' or 1=1 --",
  '"',
  '*',
  'NEAR(',
  'a AND',
  '(((',
  'subject:',
  'before:9999-99-99',
  '-',
  'bob@acme.agents.box.test',
  'X <bob@acme.agents.box.test>',
  '<>',
  'a@[',
  '2026-13-45T99:99:99Z',
  '2099-01-01T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  '%00',
  '%ff',
  '%',
  '{}',
  'null',
  'true',
  '1e999',
  '-1',
  '99999999999999999999',
];
const PARAMETERS = [
  'limit',
  'cursor',
  'q',
  'id',
  'thread_id',
  'unread_only',
  'include_archived',
  'offset',
  'max_chars',
  'since',
  'mode',
  'nosuch',
  '__proto__',
];

const NAMES = [
  'to',
  'cc',
  'subject',
  'body',
  'attachments',
  'reply_to_message_id',
  'send_at',
  'track_opens',
  'archived',
  'unread',
  'mode',
  'match',
  'value',
  'action',
  'filter_mode',
  'display_name',
  '__proto__',
  'constructor',
  'toString',
  '',
];

const value = (random: Random, depth = 0): unknown => {
  switch (random.below(depth > 4 ? 5 : 9)) {
    case 0:
      return random.pick(STRINGS);
    case 1:
      return random.pick([0, -1, 1, 1.5, 1e308, -0, 2 ** 53, null]);
    case 2:
      return random.chance(0.5);
    case 3:
      return null;
    case 4:
      return random.bytes(random.below(100)).toString('latin1');
    case 5:
      return Array.from({ length: random.below(6) }, () => value(random, depth + 1));
    case 6:
      return Array.from({ length: random.below(2_000) }, () => random.pick(STRINGS));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(6) }, () => [random.pick(NAMES), value(random, depth + 1)]),
      );
  }
};

/** A body that would be taken, with some of its fields damaged. */
const nearlyRight = (random: Random): Record<string, unknown> => ({
  to: ['bob@acme.agents.box.test'],
  subject: 'A question',
  body: 'Hello.',
  ...(random.chance(0.3) && {
    attachments: [{ filename: random.pick(STRINGS), content_type: random.pick(STRINGS), content_base64: 'YQ==' }],
  }),
  ...Object.fromEntries(Array.from({ length: random.below(2) }, () => [random.pick(NAMES), value(random)])),
});

const bodyOf = (random: Random): Buffer => {
  const json = Buffer.from(JSON.stringify(random.chance(0.85) ? nearlyRight(random) : value(random)) ?? '');
  if (random.chance(0.8)) return json;
  if (random.chance(0.3)) return Buffer.from('['.repeat(random.below(50_000)));
  return Buffer.concat([json.subarray(0, random.below(json.length + 1)), random.bytes(random.below(20))]);
};

const pathOf = ({ path, parameters }: KnownOperation, { ids }: AgentCaller, random: Random): string => {
  const part = (): string =>
    random.chance(0.7) && ids.length > 0 ? random.pick(ids) : encodeURIComponent(random.pick(STRINGS).toWellFormed());
  const filled = path.replace(/\{[^}]*\}/g, part);
  const query = Array.from({ length: random.below(4) }, () => {
    const known = parameters.length > 0 && random.chance(0.9);
    const value = random.chance(0.4) ? String(random.below(120)) : random.pick(STRINGS).toWellFormed();
    return `${random.pick(known ? parameters : PARAMETERS)}=${encodeURIComponent(value)}`;
  });
  const whole = query.length > 0 ? `${filled}?${query.join('&')}` : filled;
  if (random.chance(0.9)) return whole;
  const at = random.below(whole.length + 1);
  return (
    whole.slice(0, at) +
    random.pick(['%', '%zz', '//', '/..', '\xff', '?', '#', ';', '%00', 'x'.repeat(9_000)]) +
    whole.slice(at)
  );
};

/** @returns one request, whole: `connection: close`, so that its reply ends with the connection */
export const makeRequest = (operations: readonly KnownOperation[], caller: AgentCaller, random: Random): Buffer => {
  const operation = random.pick(operations);
  const method = random.chance(0.95)
    ? operation.method
    : random.pick(['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'X']);
  const body = /^(GET|HEAD)$/.test(method) && random.chance(0.9) ? Buffer.alloc(0) : bodyOf(random);
  const headers = [
    'host: 127.0.0.1',
    'connection: close',
    `authorization: ${random.chance(0.95) ? `Bearer ${caller.key}` : random.pick(['Bearer', 'Basic YTpi', `Bearer ${caller.key}x`, '\xff'])}`,
    ...(body.length > 0
      ? [
          `content-type: ${random.chance(0.9) ? 'application/json' : random.pick(['text/plain', '', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x'])}`,
        ]
      : []),
    ...(random.chance(0.2)
      ? [
          `idempotency-key: ${random.chance(0.7) ? `k${random.below(20)}` : random.pick(['', ' ', 'a'.repeat(300), '\xe9'])}`,
        ]
      : []),
    `content-length: ${random.chance(0.98) ? body.length : random.pick([body.length + 5, Math.max(body.length - 5, 0), -1])}`,
  ];
  const head = `${method} ${pathOf(operation, caller, random)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
};
