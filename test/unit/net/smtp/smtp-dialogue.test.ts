import t from 'tap';
import { startReceiver } from '../../../harness/smtp/mail-receiver.ts';
import { playDialogue } from '../../../harness/smtp/smtp-dialogue.ts';

t.test('a dialogue is played line by line', async (t) => {
  await using receiver = await startReceiver({
    tls: true,
    onRcpt: (address) => (address === 'ben@example.com' ? { code: 550, text: '5.1.1 No such user' } : undefined),
  });
  const transcript = await playDialogue(
    `# Everything that a script can say.
S: 220
C: EHLO {{name}}
S: /^250-\\S+ /
S* /^250[ -]STARTTLS/
C: STARTTLS
S: 220
T!
C: EHLO {{name}}
S* 250
C: MAIL FROM:<>
S: 250
C: RCPT TO:<ben@example.com>
S: 550 5.1.1 No
C: RCPT TO:<ann@example.com>
S: 250
C: DATA
S: 354
C! Subject: \\\\ \\xff\\0\\r\\n\\r\\nä\\r\\n.\\r\\n
S: 250

C: QUIT
S: 221
S! closed
`,
    { port: receiver.port, names: { name: 'client.example' } },
  );
  t.match(transcript, /C: EHLO client\.example\nS: 250-/);
  const [message] = await receiver.waitFor(1);
  t.ok(message?.secure);
  t.same(message?.raw, Buffer.concat([Buffer.from('Subject: \\ '), Buffer.of(0xff, 0), Buffer.from('\r\n\r\nä\r\n')]));
});

t.test('what is not as written fails with the line and the transcript so far', async (t) => {
  await using receiver = await startReceiver();
  const play = (script: string) => playDialogue(script, { port: receiver.port, timeoutMs: 500 });
  await t.rejects(play('S: 220\nC: NOOP\nS: 500\n'), {
    message: /^line 3: expected 500, got: 250 OK\nS: 220.*\nC: NOOP\nS: 250 OK$/,
  });
  await t.rejects(play('S: 220\nS: 250\n'), { message: /^line 2: the server said nothing for 500 ms/ });
  await t.rejects(play('S: 220\nC: QUIT\nS: 221\nS: 250\n'), { message: /^line 4: the server closed the connection/ });
  await t.rejects(play('S: 220\nC: NOOP\nS! closed\n'), {
    message: /^line 3: expected the end of the connection, got: 250/,
  });
  await t.rejects(play('X: what\n'), { message: /line 1 is no step/ });
  await t.rejects(play('C: {{who}}\n'), { message: /nothing is given for \{\{who\}\}/ });
});

t.test('a receiver says how many messages came when it waits in vain', async (t) => {
  await using receiver = await startReceiver();
  await t.rejects(receiver.waitFor(1, 20), { message: '0 of 1 messages came within 20 ms' });
});
