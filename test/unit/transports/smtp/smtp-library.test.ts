import { globSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import t from 'tap';

const SRC = join(import.meta.dirname, '../../../../src');
/** The method that Node's streams have to be given. */
const OF_NODE = '_write';

/** Members with an underscore that are read, called or overridden, without comments. */
const privateMembers = (file: string): string[] => {
  const source = readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const names = [...source.matchAll(/[.'](_[a-z]\w*)|\boverride (_\w+)/gi)].map(([, used, own]) => used ?? own ?? '');
  return [...new Set(names)].filter((name) => name !== OF_NODE).sort();
};

t.test('private members are touched in one file, and are these', async (t) => {
  const files = globSync('transports/{smtp,submission}/*.ts', { cwd: SRC });
  t.same(
    files.filter((file) => privateMembers(file).length > 0),
    ['transports/smtp/smtp-library.ts'],
  );
  t.same(privateMembers('transports/smtp/smtp-library.ts'), [
    '_acceptSocket',
    '_createParser',
    '_handleProxy',
    '_onCommand',
    '_parseAddressCommand',
    '_pendingSockets',
  ]);
});

t.test('the installed version has every one of them, and uses them as this source takes it', async (t) => {
  const server = new SMTPServer({ logger: false, useProxy: ['192.0.2.1'], socketTimeout: 1_000 });
  const connection = new SMTPConnection(server, new Socket());
  for (const method of [
    server._acceptSocket,
    server._handleProxy,
    connection._createParser,
    connection._onCommand,
    connection._parseAddressCommand,
  ])
    t.type(method, 'function');
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.1' });
  const release = server._acceptSocket(socket, false);
  t.equal(server._pendingSockets.get(socket), socket, 'one that a PROXY header is awaited from is pending');
  if (release) release();
  t.equal(server._pendingSockets.size, 0);
  let made = 0;
  new (class extends SMTPConnection {
    override _createParser() {
      made += 1;
      return super._createParser();
    }
  })(server, new Socket());
  t.equal(made, 1, 'its constructor makes the reader of its input');
  const asked: string[] = [];
  const read = new (class extends SMTPConnection {
    override _parseAddressCommand(name: string) {
      asked.push(name);
      return false as const;
    }
    /** Its socket is not connected. */
    override send() {}
  })(server, new Socket());
  read.handler_MAIL(Buffer.from('MAIL FROM:<a@b.test>'), () => {});
  read.handler_RCPT(Buffer.from('RCPT TO:<a@b.test>'), () => {});
  t.same(asked, ['mail from', 'rcpt to']);
});
