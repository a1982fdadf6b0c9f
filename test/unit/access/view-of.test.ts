/** A view has the fields of its shape, from the row's properties of the same names. */

import t from 'tap';
import { z } from 'zod';
import { viewOf } from '../../../src/access/view-of.ts';

const shape = z.object({
  id: z.string(),
  display_name: z.string().nullable(),
  label: z.string(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
  note: z.string().optional(),
});

const row = { id: 'a', displayName: null, createdAt: 0, lastUsedAt: null, sealedKey: 'never shown' };

t.test('a view has the fields of its shape alone, with times as ISO 8601', async (t) => {
  const view = viewOf(shape, (_row: typeof row, label: string) => ({ label }));
  t.strictSame(view(row, 'first'), {
    id: 'a',
    display_name: null,
    label: 'first',
    created_at: '1970-01-01T00:00:00.000Z',
    last_used_at: null,
  });
});

t.test("a view's own field precedes that of the row", async (t) => {
  const view = viewOf(shape, ({ id }: typeof row) => ({ id: `agent ${id}`, label: '' }));
  t.equal(view(row).id, 'agent a');
});
