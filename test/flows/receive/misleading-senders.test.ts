/** Addresses that read as others: none that is given, and shown for what they are where they come in. */

import t from 'tap';
import { cliJson, runCli } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { eventually, plainMail, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const HIDDEN = '\u202emoc.knab@ssob.test';
const SHOWN = '[U+202E]moc.knab@ssob.test';

t.test('an address with invisible characters', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const { zone } = instance.dns;
  zone.set('ssob.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
  zone.set('_dmarc.ssob.test', 'TXT', ['v=DMARC1; p=reject']);
  const client = instance.client(ann);

  await t.test('is shown with their code points, and doubted, in mail that comes in', async (t) => {
    const raw = plainMail({
      headers: {
        From: `Boss\u202e <${HIDDEN}>`,
        To: `${ann.address}, b\u200bob@ssob.test`,
        Cc: `Carol <ca\u00adrol@ssob.test>`,
      },
    });
    await sendMail(instance.smtpPort, { from: 'bounces@ssob.test', to: [ann.address], raw });
    const [message] = (await client.messages.list({})).messages;
    t.match(message, {
      from: `Boss <${SHOWN}>`,
      to: [ann.address, 'b[U+200B]ob@ssob.test'],
      cc: ['Carol <ca[U+00AD]rol@ssob.test>'],
      authentication: { dmarc: 'pass' },
    });
    t.same(message?.defects, [
      'invisible characters in an address in From',
      'invisible characters in an address in To',
      'invisible characters in an address in Cc',
    ]);
    const thread = (await client.threads.list({})).threads[0];
    t.match(thread?.participants[0], `Boss <${SHOWN}>`);
    const kept = await instance.request(ann, 'GET', `/v1/messages/${message?.id}/raw`);
    t.ok((await kept.text()).includes(HIDDEN), 'the mail itself is kept as it came');

    await cliJson(instance.configPath, 'agents', 'guard', 'ann');
    const reply = await instance.request(ann, 'POST', `/v1/messages/${message?.id}/reply`, { body: 'Hi' });
    t.equal(reply.status, 202, 'a guarded agent answers it once a person has seen it');
    const [held] = (await client.pending.listPending({})).pending;
    t.match(held, { reason: 'guarded', to: [SHOWN] });
    const { stdout } = await runCli(instance.configPath, 'pending', 'show', held?.pending_id ?? '');
    t.ok(stdout.includes(SHOWN));
    t.notOk(stdout.includes('\u202e'));
    const notice = await eventually(async () =>
      instance.receiver.messages.find(({ rcptTo }) => rcptTo.includes('owner@remote.test')),
    );
    t.ok(notice.raw.toString().replaceAll('=\r\n', '').includes(SHOWN), 'nor is it in the notice');
  });

  await t.test('is refused where one is given', async (t) => {
    for (const fields of [
      { to: [HIDDEN] },
      { to: ['a@b.test'], cc: [`Ann <b\u200bob@b.test>`] },
      { to: ['a@b.test'], reply_to: HIDDEN },
    ]) {
      const response = await instance.request(ann, 'POST', '/v1/messages', { subject: 'x', body: 'x', ...fields });
      t.equal(response.status, 400);
      t.match(await response.json(), { error: 'invalid_email' });
    }
    const rule = { match: 'exact_email', value: HIDDEN, action: 'allow' };
    t.equal((await instance.request(ann, 'POST', '/v1/identity/rules', rule)).status, 400);
  });

  await t.test('is refused in an envelope', async (t) => {
    const to = [ann.address];
    t.match(await refusalOf(instance.smtpPort, { from: HIDDEN, to }), /^553 5\.1\.7 /);
    t.match(await refusalOf(instance.smtpPort, { to: ['a\u200bnn@acme.agents.box.test'] }), /^553 5\.1\.3 /);
    t.match(await sendMail(instance.smtpPort, { from: 'b\u043ess@ssob.test', to }), /^250 /, 'scripts may be mixed');
  });
  t.same(instance.faults, []);
});
