/** Makes examples from schemas: a contract's own example, else a sample by the field's name or type. */

import type { Json } from './schemas.ts';

const ID = '019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40';
const TIME = '2026-11-21T09:00:00.000Z';

/** Samples for fields of these names, where they fit the schema. */
const SAMPLES: Readonly<Record<string, string | number | boolean>> = {
  from: 'Carol <carol@example.com>',
  to: 'bob@example.com',
  cc: 'dave@example.com',
  bcc: 'eve@example.com',
  reply_to: 'office@example.com',
  address: 'sales@acme.example.com',
  subject: 'Lunch',
  snippet: 'Is noon fine?',
  excerpt: 'Is **noon** fine?',
  text: 'Is noon fine?',
  reply_text: 'Is noon fine?',
  html: '<p>Is <strong>noon</strong> fine?</p>',
  body: 'Is **noon** fine?',
  fact: 'Likes tea.',
  filename: 'offer.pdf',
  contentType: 'application/pdf',
  content_type: 'application/pdf',
  content_base64: 'JVBERi0xLjcK',
  spf: 'pass',
  dkim: 'pass',
  dmarc: 'pass',
  arc: 'none',
  from_domain: 'example.com',
  rfc_message_id: '<1@example.com>',
  in_reply_to: '<0@example.com>',
  handle: 'sales',
  display_name: 'Ann of Sales',
  description: 'Answers questions about offers.',
  value: 'carol@example.com',
  domain: 'example.com',
  url: 'https://hooks.example.com/postroom',
  api_key: 'svc_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
  mcp_url: 'https://mx.example.com/mcp?tools=core',
  claim_url: 'https://mx.example.com/claim/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
  secret: 'whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
  delivery_id: 'evt_2vQmB7dWn0aLkR4tYx8ZpC1s',
  status_code: 204,
  next_cursor: 'WzE3OTU1Mjg4MDAwMDBd',
  content_id: 'logo@example.com',
  code: 250,
  enhanced_code: '2.0.0',
  response: '250 2.0.0 Queued',
  remote_host: 'mx.example.com',
  tls: 'TLSv1.3',
  participants: 'Carol <carol@example.com>',
  reason: 'agent_on_hold',
  held_reason: 'agent_on_hold',
  approval_url: 'https://mx.example.com/console/approvals/019a9f3c-5c4e-7d10-8a2b-6f0c1d2e3f40',
  size: 48213,
  size_bytes: 48213,
};

const toSample = (name: string, type: unknown): unknown => {
  const sample = SAMPLES[name];
  const fits = type === 'integer' ? typeof sample === 'number' : typeof sample === type;
  return sample !== undefined && fits ? sample : undefined;
};

const scalar = (schema: Json, name: string): unknown => {
  const { format, minimum } = schema;
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
  if (format === 'uuid') return ID;
  if (format === 'date-time') return TIME;
  const sample = toSample(name, type);
  if (sample !== undefined) return sample;
  switch (type) {
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return name === '' ? 'text' : name.replaceAll('_', ' ');
  }
};

/** @param schemas the component schemas that `schema` may refer to */
export const toExample = (schema: Json, schemas: Readonly<Record<string, Json>>, name = ''): unknown => {
  const { $ref, const: fixed, enum: values, anyOf, oneOf, properties, items } = schema;
  if (typeof $ref === 'string') return toExample(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, schemas, name);
  if (fixed !== undefined) return fixed;
  if (Array.isArray(values)) return values[0];
  const members = (anyOf ?? oneOf) as Json[] | undefined;
  if (members) return toExample(members.find(({ type }) => type !== 'null') ?? {}, schemas, name);
  if (properties !== undefined) {
    const required = new Set((schema.required as string[] | undefined) ?? []);
    // Shows an optional field only where it is an id or a body: these make the example's kind clear.
    const shown = Object.entries(properties as Record<string, Json>).filter(
      ([field, each]) => required.has(field) || field === 'body' || (field === 'messageId' && each.format === 'uuid'),
    );
    return Object.fromEntries(shown.map(([field, each]) => [field, toExample(each, schemas, field)]));
  }
  if (schema.type === 'object') return {};
  if (schema.type === 'array') {
    const count = typeof schema.minItems === 'number' ? Math.max(1, schema.minItems) : 1;
    return Array.from({ length: count }, () => toExample((items ?? {}) as Json, schemas, name));
  }
  return scalar(schema, name);
};
