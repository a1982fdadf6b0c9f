import t from 'tap';
import { type Card, emptyCard } from '../../../../src/contacts/card.ts';
import { toContent } from '../../../../src/resources/contacts/exchange/card-content.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const card = (fields: Partial<Card>): Card => ({ ...emptyCard(), givenName: 'Ann', ...fields });
const contentOf = (fields: Partial<Card>) => {
  const made = toContent(card(fields));
  if (made.kind !== 'content') throw new Error(made.field);
  return made.content;
};
const address = {
  poBox: null,
  extended: null,
  street: 'x',
  locality: null,
  region: null,
  postalCode: null,
  country: null,
};

t.test('names are one line, notes and streets keep theirs', async (t) => {
  const content = contentOf({
    givenName: ' Ann\n\t Maria ',
    familyName: '\n',
    notes: 'a\nb',
    addresses: [{ ...address, street: 'Main St 1\nDoor 2', label: 'ho\nme' }],
  });
  t.match(content, { givenName: 'Ann Maria', familyName: null, notes: 'a\nb' });
  t.match(content.addresses, [{ street: 'Main St 1\nDoor 2', label: 'ho me' }]);
});

t.test('a card of very many channels is refused before they are compared', async (t) => {
  const channels = (count: number) =>
    Array.from({ length: count }, () => ({ kind: 'phone', value: '1', label: null }) as const);
  t.equal(contentOf({ channels: channels(200) }).channels.length, 1);
  t.same(toContent(card({ channels: channels(201) })), { kind: 'refused', reason: 'too_many', field: 'channels' });
});

t.test('each channel and domain once, in the form that they are compared in', async (t) => {
  const email = (value: string) => ({ kind: 'email' as const, value, label: null });
  const phone = (value: string) => ({ kind: 'phone' as const, value, label: null });
  const { channels, domains } = contentOf({
    channels: [email('Ann@X.example'), phone('+41 44 668 18 00'), email('ann@x.example'), phone('0041446681800')],
    domains: ['x.example', 'x.example'],
  });
  t.same(channels, [
    { ...email('Ann@X.example'), key: 'ann@x.example' },
    { ...phone('+41 44 668 18 00'), key: '+41446681800' },
  ]);
  t.same(domains, ['x.example']);
});

t.test('a card beyond the bounds of a contact is refused by its field', async (t) => {
  const long = 'x'.repeat(20_000);
  const phones = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ kind: 'phone' as const, value: `+4144668${1_000 + at}`, label: null }));
  const cases: [field: string, reason: string, fields: Partial<Card>][] = [
    ...(['givenName', 'familyName', 'preferredName', 'companyName', 'jobTitle', 'notes'] as const).map(
      (name): [string, string, Partial<Card>] => [
        name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
        'too_long',
        { [name]: long },
      ],
    ),
    ['channels', 'too_long', { channels: [{ kind: 'phone', value: `1${long}`, label: null }] }],
    ['channels', 'too_long', { channels: [{ kind: 'phone', value: '1', label: long }] }],
    ['channels', 'too_many', { channels: phones(51) }],
    ['addresses', 'too_long', { addresses: [{ ...address, street: long, label: null }] }],
    ['addresses', 'too_long', { addresses: [{ ...address, label: long }] }],
    ['addresses', 'too_many', { addresses: Array(21).fill({ ...address, label: null }) }],
    ['domains', 'too_many', { domains: Array.from({ length: 21 }, (_, at) => `d${at}.example`) }],
  ];
  for (const [field, reason, fields] of cases)
    t.same(toContent(card(fields)), { kind: 'refused', reason, field }, field);
  t.equal(contentOf({ channels: phones(50) }).channels.length, 50);
});

t.test('a megabyte of blanks costs nothing', async (t) => {
  const begin = processorMs();
  toContent(card({ companyName: `a${' '.repeat(1_000_000)}b`, jobTitle: `a${'\n\t'.repeat(500_000)}b` }));
  const ms = processorMs() - begin;
  t.ok(ms < 1_000, `${Math.round(ms)} ms`);
});
