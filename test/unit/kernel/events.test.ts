import t from 'tap';
import { EVENTS } from '../../../src/kernel/events.ts';

for (const [name, { data, sample }] of Object.entries(EVENTS)) {
  t.same(data.strict().safeParse(sample).data, sample, `the sample of ${name} is as its schema has it`);
}
