import { MailParser } from 'mailparser';
import t from 'tap';

t.test('the installed mailparser has the members that part-tree.ts uses', (t) => {
  const parser = new MailParser() as unknown as Record<string, unknown>;
  t.equal(typeof parser.createNode, 'function');
  t.equal(parser.tree, false, 'none before the first header section');
  t.equal(typeof (parser.decoder as { decodeStream?: unknown }).decodeStream, 'function');
  t.end();
});
