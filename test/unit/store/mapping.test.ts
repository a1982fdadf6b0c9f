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

t.test('a row becomes an entity', (t) => {
  t.same(things.read(row), thing);
  t.same(things.names, ['seq', 'id', 'owner_email', 'to_list', 'sealed', 'active', 'ended_at']);
  t.equal(things.qualifiedNames[3], 'things.to_list');
  t.end();
});

t.test('a part of the columns', (t) => {
  t.same(things.pick('to', 'active').read(row), { to: ['a', 'b'], active: true });
  t.same(things.omit('seq', 'id', 'sealed').names, ['owner_email', 'to_list', 'active', 'ended_at']);
  t.end();
});

t.test('no text is stored with U+0000', (t) => {
  t.equal(things.toStored('ownerEmail', 'a\0b'), 'a\ufffdb');
  t.notMatch(String(things.toStored('to', ['\0'])), /\0/);
  t.end();
});
