import { MailParser } from 'mailparser';
import t from 'tap';

interface Node {
  contentType: string;
  children: Node[];
}

t.test('the installed mailparser makes each part by the members that part-tree.ts replaces', async (t) => {
  const parser = new MailParser();
  const internals = parser as unknown as {
    createNode(node: { contentType: string; charset: string }): Node;
    splitter: { node: object; newNode(parent?: object): void };
  };
  const { splitter } = internals;
  const newNode = splitter.newNode.bind(splitter);
  const nodes: object[] = [splitter.node];
  const parents: unknown[] = [];
  splitter.newNode = (parent) => {
    newNode(parent);
    parents.push(parent);
    nodes.push(splitter.node);
  };
  const createNode = internals.createNode.bind(parser);
  const split: { contentType: string; charset: string }[] = [];
  const made: Node[] = [];
  internals.createNode = (node) => {
    split.push(node);
    const part = createNode(node);
    made.push(part);
    return part;
  };
  const part = (type: string) => `--x\r\nContent-Type: ${type}; charset=koi8-r\r\n\r\na\r\n`;
  parser.end(`Content-Type: multipart/mixed; boundary=x\r\n\r\n${part('text/plain')}${part('text/html')}--x--\r\n`);
  parser.resume();
  await new Promise((resolve) => parser.on('end', resolve));
  t.match(split, [
    { contentType: 'multipart/mixed', root: true },
    { contentType: 'text/plain', charset: 'koi8-r', root: false },
    { contentType: 'text/html', charset: 'koi8-r', root: false },
  ]);
  t.same(parents, [nodes[0], nodes[0]]);
  t.same(nodes, split);
  t.same(made[0]?.children, made.slice(1), 'the first is the root');
});
