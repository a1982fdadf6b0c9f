/** Mail to the operator: role addresses of the host and of the base domain, and reports about them. */

import t from 'tap';
import { DAY } from '../../../src/kernel/clock.ts';
import { ownersContract } from '../../../src/resources/owners/contract.ts';
import { cliJson } from '../../harness/cli.ts';
import { signInOwner } from '../../harness/http/owner.ts';
import { BASE_DOMAIN, HOSTNAME, startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const OPERATOR = 'op@remote.test';

t.test(
  'role mail of the server and its reports reach the operator, and stand in Instance for that person alone',
  async (t) => {
    await using instance = await startInstance({ toml: `[operator]\naddress = "${OPERATOR}"\n` });
    const to = ['postmaster', 'abuse', 'hostmaster'].flatMap((role) => [
      `${role}@${HOSTNAME}`,
      `${role}@${BASE_DOMAIN}`,
    ]);
    for (const address of to) {
      t.match(await sendMail(instance.smtpPort, { to: [address], headers: { Subject: `For ${address}` } }), /^250/);
    }
    const report = {
      Subject: `Report Domain: ${BASE_DOMAIN} Submitter: remote.test Report-ID: <1@remote.test>`,
      'TLS-Report-Domain': BASE_DOMAIN,
      'Auto-Submitted': 'auto-generated',
    };
    await sendMail(instance.smtpPort, { to: [`postmaster@${BASE_DOMAIN}`], headers: report });
    const vacation = { Subject: 'Away', 'Auto-Submitted': 'auto-replied' };
    await sendMail(instance.smtpPort, { to: [`postmaster@${BASE_DOMAIN}`], headers: vacation });
    t.match(await refusalOf(instance.smtpPort, { to: [`hostmaster@acme.${BASE_DOMAIN}`] }), /^550 5\.1\.1/);

    const passedOn = await instance.receiver.waitFor(to.length + 1);
    t.same([...new Set(passedOn.flatMap(({ rcptTo }) => rcptTo))], [OPERATOR]);
    const subjects = passedOn.map(({ raw }) => /^Subject: (.*(?:\r\n .*)*)/m.exec(raw.toString('latin1'))?.[1]);
    t.ok(subjects.some((subject) => subject?.includes('Report Domain:')));
    t.notOk(
      subjects.some((subject) => subject?.includes('Away')),
      'other automatic mail could loop',
    );

    await asOperator(instance, (call) => call(ownersContract.add, { workspace: 'acme', email: OPERATOR }));
    const { body } = await (await signInOwner(instance, OPERATOR)).call('instance/get');
    t.equal(body.instance.operator.address, OPERATOR);
    t.equal(body.instance.operator.mail.length, to.length + 2);
    t.match(body.instance.operator.mail[0], {
      from: /carol@remote\.test/,
      doubtful: true,
      subject: 'Away',
      snippet: 'Hello.',
      at: String,
    });
    t.match((await (await signInOwner(instance)).call('instance/get')).body, { instance: { operator: null } });

    const records = (await cliJson(instance.configPath, 'dns', 'show', BASE_DOMAIN)) as unknown as { name: string }[];
    t.match(
      records.find(({ name }) => name === `_dmarc.${BASE_DOMAIN}`),
      { value: `v=DMARC1; p=reject; adkim=s; aspf=r; rua=mailto:postmaster@${BASE_DOMAIN}` },
    );
    t.same(instance.faults, []);
  },
);

t.test(
  'mail of the instance itself ends after 92 days, which no person could delete; that of agents stays',
  async (t) => {
    const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
    await using instance = await startInstance({
      toml: `[operator]\naddress = "${OPERATOR}"\n`,
      runtime: { clock },
    });
    const { ann } = instance.agents;
    /** The handles with mail of the first day. The doctor writes on later ones. */
    const kept = async () => {
      const rows = await instance.inStore(({ read }) =>
        read
          .selectFrom('messages')
          .innerJoin('mailboxes', 'mailboxes.id', 'messages.mailbox_id')
          .innerJoin('agents', 'agents.id', 'mailboxes.agent_id')
          .innerJoin('threads', 'threads.id', 'messages.thread_id')
          .select('agents.handle')
          .where('messages.created_at', '<', clock.now() - clock.ahead + DAY)
          .orderBy('agents.handle')
          .execute(),
      );
      return rows.map(({ handle }) => handle);
    };
    const roleMail = [`abuse@${BASE_DOMAIN}`, `abuse@acme.${BASE_DOMAIN}`];
    for (const to of [...roleMail, ann.address]) await sendMail(instance.smtpPort, { to: [to] });
    await instance.receiver.waitFor(2);
    const all = ['ann', 'noreply', 'postmaster', 'role-mail', 'role-mail'];
    t.same(await kept(), all);
    clock.ahead = 91 * DAY;
    await instance.daemon.jobs.runAll();
    t.same(await kept(), all);
    clock.ahead = 93 * DAY;
    await instance.daemon.jobs.runAll();
    t.same(await kept(), ['ann']);
    t.same(instance.faults, []);
  },
);
