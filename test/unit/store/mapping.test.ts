import t from 'tap';
import type { Id } from '../../../src/kernel/ids.ts';
import { buffer, flag, id, json, mapping, number, text } from '../../../src/store/mapping.ts';

const things = mapping('things', {
  seq: number().defaulted(),
  id: id<'thing'>(),
  ownerEmail: text(),
  to: json<string[]>().named('to_list'),
  sealed: buffer().nullable(),
  active: flag(),
  endedAt: number().nullable(),
});

const thing = {
  seq: 7,
  id: '01900000-0000-7000-8000-000000000001' as Id<'thing'>,
  ownerEmail: 'o@x.test',
  to: ['a', 'b'],
  sealed: Buffer.from('s'),
  active: true,
  endedAt: null,
};

const row = {
  seq: 7,
  id: Buffer.from('01900000000070008000000000000001', 'hex'),
  owner_email: 'o@x.test',
  to_list: '["a","b"]',
  sealed: Buffer.from('s'),
  active: 1,
  ended_at: null,
} as const;

t.test('an entity becomes a row and comes back', (t) => {
  t.same(things.row(thing), row);
  t.same(things.read(row), thing);
  t.same(things.names, ['seq', 'id', 'owner_email', 'to_list', 'sealed', 'active', 'ended_at']);
  t.equal(things.qualifiedNames[3], 'things.to_list');
  t.end();
});

t.test('only the fields that are given are written; null is given, undefined is not', (t) => {
  const withoutOwner = { endedAt: null, active: false, ownerEmail: undefined } as { endedAt: null; active: boolean };
  t.same(things.write(withoutOwner), { ended_at: null, active: 0 });
  t.end();
});

t.test('a part of the columns', (t) => {
  t.same(things.pick('to', 'active').read(row), { to: ['a', 'b'], active: true });
  t.same(things.omit('seq', 'id', 'sealed').names, ['owner_email', 'to_list', 'active', 'ended_at']);
  t.end();
});

t.test('no text is stored with U+0000', (t) => {
  t.equal(things.write({ ownerEmail: 'a\0b' }).owner_email, 'a\ufffdb');
  t.notMatch(things.write({ to: ['\0'] }).to_list, /\0/);
  t.end();
});
