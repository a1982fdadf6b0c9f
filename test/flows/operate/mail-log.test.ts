/** The mail log, what it says of each thing that becomes of a mail, `postroom trace`, and the metrics made of it. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { REASONS } from '../../../src/mail-log/reasons.ts';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { reviewContract } from '../../../src/resources/held-mail/review/contract.ts';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { eventually, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

interface Line {
  mail: string;
  reason: string;
  [key: string]: unknown;
}

const linesOf = ({ logged }: TestInstance, mail: string): Line[] =>
  logged.filter(({ message }) => message === `mail ${mail}`).map(({ fields }) => fields as Line);

const until = (instance: TestInstance, mail: string, count = 1): Promise<Line[]> =>
  eventually(async () => {
    const lines = linesOf(instance, mail);
    return lines.length >= count ? lines : undefined;
  });

const scrape = async ({ daemon }: TestInstance): Promise<string> => {
  const response = await fetch(`http://${daemon.private[0]}/metrics`);
  return response.text();
};

t.test('one line for each thing that becomes of a mail', async (t) => {
  await using instance = await startInstance({
    receiver: {
      onRcpt: (address) => {
        if (address.startsWith('gone')) return { code: 550, text: 'No such user' };
        if (address.startsWith('large')) return { code: 550, text: 'Message size exceeds the limit' };
        if (address.startsWith('later'))
          return { code: 421, text: '4.7.28 Our system has detected an unusual rate of mail' };
        return undefined;
      },
    },
  });
  const { ann } = instance.agents;
  const SUBJECT = 'Subject-that-is-nobodys';
  const send = async (to: string) => {
    const response = await instance.request(ann, 'POST', '/v1/messages', { to: [to], subject: SUBJECT, body: SUBJECT });
    return (await response.json()) as { messageId: string };
  };

  const sent = await send('carol@remote.test');
  await until(instance, 'delivered');
  t.match(linesOf(instance, 'queued'), [
    { reason: 'to_send', message_id: sent.messageId, delivery_id: String, from: ann.address, to: 'carol@remote.test' },
  ]);
  t.match(linesOf(instance, 'delivered'), [
    {
      reason: 'delivered',
      message_id: sent.messageId,
      to: 'carol@remote.test',
      host: 'mx.remote.test',
      code: 250,
      attempt: 1,
    },
  ]);
  await send('gone@remote.test');
  t.match(await until(instance, 'bounced'), [{ reason: 'unknown_recipient', code: 550, suppressed: true }]);
  await send('large@remote.test');
  t.match((await until(instance, 'bounced', 2))[1], { reason: 'policy', code: 550, suppressed: false });
  await send('later@remote.test');
  t.match(await until(instance, 'deferred'), [{ reason: 'rate_limited', code: 421, next_attempt_at: String }]);

  await sendMail(instance.smtpPort, { to: [ann.address], headers: { subject: SUBJECT } });
  const received = (await until(instance, 'received')).filter(({ peer }) => peer !== null);
  t.match(received, [{ message_id: String, mailbox: ann.address, peer: '127.0.0.1', session: String }]);
  await refusalOf(instance.smtpPort, { to: ['nobody@acme.agents.box.test'] });
  t.match(await until(instance, 'refused'), [
    {
      reason: 'unknown_recipient',
      stage: 'recipient',
      peer: '127.0.0.1',
      to: 'nobody@acme.agents.box.test',
      code: 550,
    },
  ]);
  // Before anything is held: the notice of that is a mail too.
  const metrics = await scrape(instance);
  for (const line of [
    'postroom_mail_total{outcome="delivered",reason="delivered"} 1',
    'postroom_mail_total{outcome="bounced",reason="unknown_recipient"} 1',
    'postroom_mail_total{outcome="refused",reason="unknown_recipient"} 1',
    'postroom_mail_total{outcome="webhook_off",reason="webhook_off"} 0',
    'postroom_events_total{name="workspace.paused"} 0',
    'postroom_held 0',
    'postroom_queue_due 0',
  ]) {
    t.ok(metrics.includes(`${line}\n`), line);
  }
  t.match(metrics, /^postroom_events_total\{name="message\.delivered"\} 1$/m);
  t.match(metrics, /^postroom_disk_free_bytes \d/m);
  const mean = Number(/^postroom_nodejs_eventloop_lag_mean_seconds (\S+)$/m.exec(metrics)?.[1]);
  t.ok(mean > 0.05, 'measuring wakes the process ten times a second, and not more often');
  await asOperator(instance, (call) => call(agentsContract.hold, { agent: 'ann', hold: true }));
  await send('carol@remote.test');
  t.match(await until(instance, 'held'), [{ reason: 'held', pending_id: String, to: ['carol@remote.test'] }]);
  t.match(await scrape(instance), /^postroom_held 1$/m);
  const pendingId = String(linesOf(instance, 'held')[0]?.pending_id);
  await asOperator(instance, (call) => call(reviewContract.approve, { pending_id: pendingId }));
  const [decided] = await until(instance, 'decided');
  t.match(decided, { reason: 'approved', pending_id: pendingId, message_id: String, edited: false });

  const all = instance.logged.filter(({ message }) => message.startsWith('mail ') && message !== 'mail in');
  for (const { fields } of all) t.ok((fields as Line).reason in REASONS, (fields as Line).reason);
  t.notOk(JSON.stringify(all).includes(SUBJECT), 'no text of any mail');
  t.notOk(JSON.stringify(all).includes(ann.key), 'no key');

  const [address] = instance.daemon.private;
  t.equal((await fetch(`http://${address}/readyz`)).status, 200);
  t.equal((await fetch(`http://${address}/v1/messages`)).status, 404);
  t.equal((await fetch(`http://${address}/metrics`, { method: 'POST' })).status, 405);
  t.equal((await instance.request(null, 'GET', '/metrics')).status, 404, 'not on the public listener');

  const folder = join(instance.config.data_dir, 'log');
  const ofHeld = await eventually(async () =>
    linesOf(instance, 'delivered').find(({ message_id: id }) => id === decided?.message_id),
  );
  await eventually(async () =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name), 'utf8').includes(String(ofHeld.delivery_id))),
  );
  for (const name of readdirSync(folder)) t.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  const traced = (await cliJson(instance.configPath, 'trace', sent.messageId)) as unknown as { trace: Line[] };
  t.match(
    traced.trace.map(({ mail }) => mail),
    ['queued', 'delivered'],
  );
  for (const id of [pendingId, String(decided?.message_id)]) {
    const { trace } = (await cliJson(instance.configPath, 'trace', id)) as unknown as { trace: Line[] };
    t.match(
      trace.map(({ mail }) => mail),
      ['held', 'decided', 'delivered'],
      'one way, by either id',
    );
  }
  const ofPerson = (await cliJson(instance.configPath, 'trace', 'carol@remote.test')) as unknown as { trace: Line[] };
  t.match(
    ofPerson.trace.map(({ mail }) => mail).slice(-3),
    ['held', 'decided', 'delivered'],
    'what a person decided on mail to an address is in its trace',
  );
  const [delivery] = linesOf(instance, 'delivered');
  const byDelivery = (await cliJson(instance.configPath, 'trace', String(delivery?.delivery_id))) as unknown as {
    trace: Line[];
  };
  t.same(byDelivery.trace, traced.trace);
  const ofAddress = (await cliJson(instance.configPath, 'trace', 'later@remote.test')) as unknown as { trace: Line[] };
  t.match(
    ofAddress.trace.map(({ mail }) => mail),
    ['queued', 'deferred'],
  );
  const ofSender = (await cliJson(instance.configPath, 'trace', ann.address)) as unknown as { trace: Line[] };
  t.same(
    ofSender.trace.filter(({ message_id: id }) => id === sent.messageId),
    traced.trace,
    "a sender's trace has what became of its mail",
  );
  const text = await runCli(instance.configPath, 'trace', 'gone@remote.test');
  t.match(text.stdout, /bounced +unknown_recipient .*\n +550 No such user\n +No such address\./);
  const none = await runCli(instance.configPath, 'trace', 'never@remote.test');
  t.equal(none.code, 1);
  t.match(none.stderr, /has nothing of never@remote\.test/);
  t.same(instance.faults, []);
});
