import t from 'tap';
import { ofSqlite } from '../harness/postgres/test-location.ts';
import { limitFiles, startProcessBox } from '../harness/process.ts';
import { refusalOf, sendMail } from '../harness/smtp/send-mail.ts';

const test = ofSqlite(t, 'bounds the data file');

test('a disk that takes nothing: nothing is acknowledged, and all goes on once it does again', async (t) => {
  await using harness = await startProcessBox();
  const { instance } = harness;
  const client = instance.client(instance.agents.ann);
  const to = [instance.agents.ann.address];
  const subjects = async () => (await client.messages.list({})).messages.map(({ subject }) => subject);
  const mail = (subject: string) => ({ to, headers: { Subject: subject } });

  await sendMail(instance.smtpPort, mail('Before'));
  limitFiles(harness.daemon.pid, 4096);
  t.match(await refusalOf(instance.smtpPort, mail('Meanwhile')), /^452 4\.3\.1 /, 'the client is asked to come again');
  t.match(await refusalOf(instance.smtpPort, mail('Meanwhile')), /^452 4\.3\.1 /);
  const send = client.messages.send({ to: ['carol@remote.test'], subject: 'Meanwhile', body: 'x' });
  const refusal = await send.then(
    () => null,
    (error: unknown) => error,
  );
  t.match(refusal, { status: 503, code: 'overloaded', hint: /its disk is full/ }, 'in words');
  const ready = await fetch(new URL('/readyz', instance.baseUrl));
  t.match(
    { status: ready.status, ...((await ready.json()) as object) },
    { status: 503, ready: false, mail: /no writes/ },
  );
  t.same(await subjects(), ['Before'], 'what is there can be read');

  limitFiles(harness.daemon.pid, 'unlimited');
  t.match(await (await fetch(new URL('/readyz', instance.baseUrl))).json(), { ready: true, mail: 'taken' });
  await sendMail(instance.smtpPort, mail('After'));
  t.same(await subjects(), ['After', 'Before']);

  await harness.daemon.end('SIGKILL');
  await harness.start();
  t.same(await subjects(), ['After', 'Before']);
  t.equal(instance.receiver.messages.length, 0, 'nothing that was refused has been sent');
});
