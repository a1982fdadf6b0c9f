/** A custom domain beside an existing mail server: it sends from here, and its mail is received there. */

import t from 'tap';
import { agentsContract } from '../../../src/resources/agents/contract.ts';
import { ownersContract } from '../../../src/resources/owners/contract.ts';
import { addDomain, publish, recordOf, verifyDomain } from '../../harness/domains.ts';
import { BASE_DOMAIN, HOSTNAME, startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

const DOMAIN = 'company.example';

t.test('DKIM, SPF and ownership are enough to send; mail of the domain goes where its MX leads', async (t) => {
  await using instance = await startInstance();
  const { zone } = instance.dns;
  const { ann } = instance.agents;
  const { body: added } = await addDomain(instance, ann, DOMAIN);
  t.match(added, { receives: false });
  publish(
    zone,
    added.records.filter(({ purpose }) => ['dkim', 'spf', 'ownership'].includes(purpose)),
  );
  zone.set(DOMAIN, 'MX', [{ exchange: 'mx.remote.test', priority: 10 }]);
  const { body: verified } = await verifyDomain(instance, ann, added.id);
  t.match(verified, { status: 'verified', can_send: true, receives: false });
  t.match(recordOf(verified, 'mx'), { status: 'mismatch', hint: /sends from here alone/ });
  for (const purpose of ['dmarc', 'tls_rpt'] as const) {
    t.match(recordOf(verified, purpose), { status: 'missing', hint: null }, 'it is the other server’s');
  }

  const agentOn = async (handle: string) => {
    const made = await asOperator(instance, (call) =>
      call(agentsContract.add, { handle, workspace: 'acme', domain: DOMAIN }),
    );
    return { handle, address: made.address, key: made.api_key as string };
  };
  const [clerk, desk] = [await agentOn('clerk'), await agentOn('desk')];
  const api = instance.client(clerk);
  await api.messages.send({ to: [`boss@${DOMAIN}`, `postmaster@${DOMAIN}`], subject: 'To people', body: 'Hi' });
  const mails = await instance.receiver.waitFor(2);
  t.same(mails.flatMap(({ rcptTo }) => rcptTo).sort(), [`boss@${DOMAIN}`, `postmaster@${DOMAIN}`], 'by MX');
  const returnPath = mails[0]?.mailFrom ?? '';
  t.match(returnPath, new RegExp(`^b-.*@${BASE_DOMAIN}$`), 'bounces come to this host');
  t.match(mails[0]?.raw.toString('latin1').replace(/\r\n\s+/g, ' '), /d=company\.example; s=pr1;/);
  await sendMail(instance.smtpPort, {
    from: '',
    to: [returnPath],
    headers: { From: 'MAILER-DAEMON@remote.test', Subject: 'Undelivered', 'Auto-Submitted': 'auto-replied' },
  });
  t.match((await api.messages.list({ direction: 'in' })).messages, [{ subject: 'Undelivered' }]);

  await api.messages.send({ to: [desk.address], subject: 'To an agent', body: 'Hi' });
  await eventually(async () => (await instance.client(desk).messages.list({ direction: 'in' })).messages.length === 1);
  t.equal(instance.receiver.messages.length, 2, 'without the wire');

  const email = `owner@${DOMAIN}`;
  await asOperator(instance, (call) => call(ownersContract.add, { workspace: 'acme', email }));
  await t.rejects(
    asOperator(instance, (call) => call(ownersContract.add, { workspace: 'acme', email: desk.address })),
    { code: 'invalid_email' },
    'an agent would read its links',
  );

  publish(zone, added.records);
  t.match((await verifyDomain(instance, ann, added.id)).body, { status: 'verified', receives: true });
  t.same(instance.faults, []);
});

t.test(
  'records that a DNS provider completed with the name of its zone are told as such, and leave it pending',
  async (t) => {
    await using instance = await startInstance();
    const { zone } = instance.dns;
    const { ann } = instance.agents;
    const { body: added } = await addDomain(instance, ann, `agents.${DOMAIN}`);
    publish(zone, added.records);
    const verify = async () => {
      const { body } = await verifyDomain(instance, ann, added.id);
      t.match(body, { status: 'pending', can_send: false });
      return body;
    };

    zone.set(`agents.${DOMAIN}`, 'MX', [{ exchange: `${HOSTNAME}.${DOMAIN}`, priority: 10 }]);
    t.match(recordOf(await verify(), 'mx'), { status: 'mismatch', hint: /Enter mx\.box\.test\. with the dot/ });

    zone.set(`agents.${DOMAIN}`, 'MX', []);
    zone.set(`agents.${DOMAIN}.${DOMAIN}`, 'MX', [{ exchange: HOSTNAME, priority: 10 }]);
    const { name, value } = recordOf(added, 'ownership');
    zone.delete(name);
    zone.set(`${name}.${DOMAIN}`, 'TXT', [value]);
    const twice = await verify();
    for (const purpose of ['mx', 'ownership']) {
      t.match(recordOf(twice, purpose), {
        status: 'missing',
        hint: /company\.example\.company\.example: the DNS provider/,
      });
    }
  },
);
