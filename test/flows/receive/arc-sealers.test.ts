import { sealMessage } from 'mailauth';
import t from 'tap';
import { dkimRecord, generateDkimKey } from '../../../src/mail/auth/dkim-key.ts';
import { startInstance } from '../../harness/instance.ts';
import { plainMail, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

const FORWARDER = 'lists.test';

t.test('a trusted sealer’s ARC seal overrides the author’s failures', async (t) => {
  await using instance = await startInstance({ smtp: `trusted_forwarders = ["${FORWARDER}"]` });
  const { zone } = instance.dns;
  const { privateKey, publicKey } = await generateDkimKey('rsa-sha256');
  for (const domain of [FORWARDER, 'others.test']) {
    zone.set(`arc._domainkey.${domain}`, 'TXT', [dkimRecord({ algorithm: 'rsa-sha256', publicKey })]);
  }
  zone.set('strict.test', 'TXT', ['v=spf1 -all']);
  zone.set('_dmarc.strict.test', 'TXT', ['v=DMARC1; p=reject']);
  const to = [instance.agents.ann.address];
  const original = plainMail({ headers: { From: 'ceo@strict.test', Subject: '[list] News' } });
  const sealedBy = async (signingDomain: string): Promise<Buffer> => {
    const authResults = `${signingDomain}; dkim=pass header.d=strict.test; dmarc=pass header.from=strict.test`;
    const seal = { signingDomain, selector: 'arc', privateKey, cv: 'none', authResults, signTime: new Date() };
    return Buffer.concat([await sealMessage(original, seal), Buffer.from(original)]);
  };
  const from = 'ceo@strict.test';
  t.match(await refusalOf(instance.smtpPort, { from, to, raw: original }), /^550 5\.7\.26/, 'without a seal');
  t.match(
    await refusalOf(instance.smtpPort, { from, to, raw: await sealedBy('others.test') }),
    /^550 5\.7\.26/,
    "another sealer's",
  );
  const altered = Buffer.from((await sealedBy(FORWARDER)).toString().replace('Hello.', 'Hello!'));
  t.match(await refusalOf(instance.smtpPort, { from, to, raw: altered }), /^550 5\.7\.26/, 'a chain that broke');
  t.match(await sendMail(instance.smtpPort, { from, to, raw: await sealedBy(FORWARDER) }), /^250/);
  const [message] = (await instance.client(instance.agents.ann).messages.list({})).messages;
  t.match(
    message,
    { spam_verdict: 'PASS', authentication: { dmarc: 'fail', arc: 'pass' } },
    'the checks are shown as they were found',
  );
});
