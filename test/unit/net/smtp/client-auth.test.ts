import t from 'tap';
import { logIn } from '../../../../src/net/smtp/client-auth.ts';
import { parseExtensions } from '../../../../src/net/smtp/extensions.ts';
import { parseReply } from '../../../../src/net/smtp/smtp-reply.ts';

const login = { user: 'ann', password: 'pässword' };
const of = (text: string): string => Buffer.from(text, 'base64').toString();

/** Logs in at a host with these mechanisms, which gives these replies in turn. */
const play = async (auth: string, replies: string[]) => {
  const said: string[] = [];
  const shown: string[] = [];
  const outcome = await logIn({
    login,
    extensions: parseExtensions(`250-mx\n250 ${auth}`),
    ask: async (line, inTranscript) => {
      said.push(line);
      shown.push(inTranscript);
      const reply = parseReply(replies.shift() ?? '');
      if (!reply) throw new Error('asked too often');
      return reply;
    },
  });
  return { outcome, said, shown };
};

t.test('PLAIN where it is offered, in one line', async (t) => {
  const { outcome, said, shown } = await play('AUTH LOGIN PLAIN', ['235 2.7.0 Welcome']);
  t.equal(outcome, null);
  t.equal(of(said[0]?.slice('AUTH PLAIN '.length) ?? ''), '\0ann\0pässword');
  t.equal(said.length, 1);
  t.notMatch(shown.join(), said[0]?.slice('AUTH PLAIN '.length) ?? '', 'the transcript has no password');
});

t.test('LOGIN where a host has nothing else', async (t) => {
  const { outcome, said, shown } = await play('AUTH CRAM-MD5 LOGIN', ['334 VXNlcjo=', '334 UGFzczo=', '235 OK']);
  t.equal(outcome, null);
  t.same([said[0], ...said.slice(1).map(of)], ['AUTH LOGIN', 'ann', 'pässword']);
  t.same(shown, ['AUTH LOGIN', '(user)', '(password)']);
});

t.test('a refusal ends it', async (t) => {
  t.match((await play('AUTH PLAIN', ['535 5.7.8 No'])).outcome, { code: 535, enhanced: '5.7.8' });
  const { outcome, said } = await play('AUTH LOGIN', ['334 VXNlcjo=', '535 5.7.8 No']);
  t.match(outcome, { code: 535 });
  t.equal(said.length, 2, 'the password is kept back');
});

t.test('a password goes nowhere where nobody asks for it', async (t) => {
  await t.rejects(play('AUTH CRAM-MD5', []), /neither/);
  await t.rejects(play('PIPELINING', []), /neither/);
});
