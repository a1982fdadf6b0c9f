import { createHash } from 'node:crypto';
import t from 'tap';
import { startInstance, type TestInstance } from '../../harness/instance.ts';
import { eventually, plainMail, refusalOf, sendMail } from '../../harness/smtp/send-mail.ts';

/** bank.test has every mail refused that is not its own; evil.test sends from here. */
const publish = ({ dns: { zone } }: TestInstance): void => {
  zone.set('bank.test', 'TXT', ['v=spf1 -all']);
  zone.set('_dmarc.bank.test', 'TXT', ['v=DMARC1; p=reject']);
  zone.set('evil.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
};

const CEO = 'CEO <ceo@bank.test>';
const stored = async (instance: TestInstance) =>
  (await instance.client(instance.agents.ann).messages.list({})).messages;
/** A mail with fields behind those of {@link plainMail}. */
const withFields = (fields: string, headers: Record<string, string> = {}): string =>
  plainMail({ headers: { From: CEO, ...headers } }).replace('\r\n\r\n', `\r\n${fields}\r\n`);

t.test('no header field is visible to only one of two parsers', async (t) => {
  await using instance = await startInstance();
  publish(instance);
  const ann = instance.client(instance.agents.ann);
  const envelope = { from: 'x@evil.test', to: [instance.agents.ann.address] };
  t.match(
    await refusalOf(instance.smtpPort, { ...envelope, headers: { From: CEO } }),
    /^550 5\.7\.26/,
    'a plain forgery',
  );
  const behind = (field: string, count = 3000) => withFields(`${'X: y\r\n'.repeat(count)}${field}\r\n`);
  const attacks = {
    'a second From': behind('From: x@evil.test'),
    'many Received': behind(
      'Received: from a.test by b.test; Mon, 16 Nov 2026 10:00:00 +0000\r\n'.repeat(80).trimEnd(),
    ),
    'an Auto-Submitted': behind('Auto-Submitted: auto-replied'),
  };
  for (const [what, raw] of Object.entries(attacks)) {
    t.match(
      await refusalOf(instance.smtpPort, { ...envelope, raw }),
      /^554 5\.6\.0 The header has too many fields/,
      what,
    );
  }
  await ann.identity.update({ filter_mode: 'whitelist' });
  await ann.identity.createRule({ match: 'domain', value: 'bank.test', action: 'allow' });
  t.match(
    await refusalOf(instance.smtpPort, { ...envelope, raw: attacks['a second From'] }),
    /^554 5\.6\.0/,
    'or by a rule',
  );
  t.same(await stored(instance), []);

  await ann.identity.update({ filter_mode: 'blacklist' });
  // Six of the plain mail's own.
  const many = (count: number) =>
    withFields('X: y\r\n'.repeat(count - 6), { From: 'x@evil.test', Subject: `${count} fields` });
  t.match(await sendMail(instance.smtpPort, { ...envelope, raw: many(1000) }), /^250/);
  t.match(await refusalOf(instance.smtpPort, { ...envelope, raw: many(1001) }), /^554 5\.6\.0/);
  t.match(await stored(instance), [{ subject: '1000 fields', authentication: { from_domain: 'evil.test' } }]);
  t.same(instance.faults, []);
});

t.test('a From has one address, and no text that could be another', async (t) => {
  await using instance = await startInstance();
  publish(instance);
  const envelope = { from: 'x@evil.test', to: [instance.agents.ann.address] };
  for (const From of [
    'x@evil.test,ceo@[1.2.3.4]',
    'x@evil.test, ceo@[1.2.3.4], ceo@bank_test/',
    'x@evil.test, <>',
    'ceo@[1.2.3.4]',
    'x@evil.test, ceo@bank.test',
    '<x@evil.test> <ceo@bank.test>',
    '<ceo@bank.test> <x@evil.test>',
    '"Evil" <x@evil.test> (a comment) "CEO" <ceo@bank.test>',
    '<x@evil.test> ceo@bank.test',
    '<x@evil.test><ceo@bank.test>',
    '<x@evil.test <ceo@bank.test>',
    'Us: <x@evil.test> <ceo@bank.test>;',
  ]) {
    const mail = { ...envelope, headers: { From } };
    t.match(await refusalOf(instance.smtpPort, mail), /^550 5\.7\.1 A mail needs one From address/, From);
  }
  for (const From of [
    'x@evil.test',
    'Evil, Inc. <x@evil.test>',
    '<x@evil.test> (a comment)',
    '"A <b@c.test>" <x@evil.test> (d <e@f.test>)',
  ]) {
    t.match(await sendMail(instance.smtpPort, { ...envelope, headers: { From } }), /^250/, From);
  }
});

t.test('a whitelist identity does not accept a local agent’s name from outside', async (t) => {
  await using instance = await startInstance();
  publish(instance);
  const { ann, bob } = instance.agents;
  const outsider = await instance.addAgent('zoe', await instance.addWorkspace('Other'));
  // As where their owner has not yet published the records.
  for (const name of [bob, outsider].map(({ address }) => address.split('@')[1])) {
    instance.dns.zone.set(`${name}`, 'TXT', []);
    instance.dns.zone.set(`_dmarc.${name}`, 'TXT', []);
  }
  instance.dns.zone.set('_dmarc.agents.box.test', 'TXT', []);
  const api = instance.client(ann);
  await api.identity.update({ filter_mode: 'whitelist' });
  await api.messages.send({ to: [outsider.address], subject: 'Hello', body: 'Hello.' });
  for (const From of [bob.address, outsider.address]) {
    await sendMail(instance.smtpPort, { from: 'x@evil.test', to: [ann.address], headers: { From } });
  }
  t.same(await stored(instance).then((all) => all.filter(({ direction }) => direction === 'in')), []);
  await instance.client(bob).messages.send({ to: [ann.address], subject: 'From a colleague', body: 'Hello.' });
  await eventually(async () => (await stored(instance)).find(({ subject }) => subject === 'From a colleague'));
  await api.identity.createRule({ match: 'domain', value: 'plain.test', action: 'allow' });
  await sendMail(instance.smtpPort, { from: 'x@plain.test', to: [ann.address], headers: { From: 'x@plain.test' } });
  t.match(await stored(instance), { 0: { from: 'x@plain.test' } }, 'an allow rule for a domain without records stands');
  instance.dns.zone.set('_dmarc.bank.test', 'TXT', ['v=DMARC1; p=none']);
  await api.identity.createRule({ match: 'domain', value: 'bank.test', action: 'allow' });
  await sendMail(instance.smtpPort, { from: 'x@evil.test', to: [ann.address], headers: { From: 'ceo@bank.test' } });
  t.match(
    await stored(instance),
    { 0: { from: 'x@plain.test' } },
    'for one with records, mail that fails them does not',
  );
  t.same(instance.faults, []);
});

t.test('a name beside the address is taken for no address', async (t) => {
  await using instance = await startInstance();
  publish(instance);
  const { ann } = instance.agents;
  const since = new Date(Date.now() - 60_000).toISOString();
  const from = async (From: string) => {
    await sendMail(instance.smtpPort, { from: 'x@evil.test', to: [ann.address], headers: { From } });
    return (await stored(instance))[0]?.from;
  };
  t.equal(await from('"CEO <ceo@bank.test>" <x@evil.test>'), 'CEO <x@evil.test>');
  t.equal(await from('"ceo@bank.test" <x@evil.test>'), 'x@evil.test');
  t.equal(await from('=?utf-8?Q?ceo=40bank.test?= <x@evil.test>'), 'x@evil.test');
  t.equal(await from('"ceo＠bank.test" <x@evil.test>'), 'x@evil.test');
  t.equal(await from('"Doe, Jane" <x@evil.test>'), '"Doe, Jane" <x@evil.test>');
  const events = (await instance.events()).filter(({ name }) => name === 'message.received');
  t.notMatch(JSON.stringify(events), /bank/, 'nor in an event');

  const wait = async (wanted: string) => {
    const query = new URLSearchParams({ from: wanted, since, timeout: '0' });
    const response = await instance.request(ann, 'GET', `/v1/messages/wait?${query}`);
    return ((await response.json()) as { message: { from: string } | null }).message?.from ?? null;
  };
  for (const wanted of ['ceo@bank.test', '@bank.test', 'CEO <ceo@bank.test>', 'x@evil', '@test', 'evil@', 'ceo@']) {
    t.equal(await wait(wanted), null, wanted);
  }
  for (const wanted of ['x@evil.test', 'X@EVIL.test', '"x"@evil.test', '@evil.test', 'x@', 'Doe, Jane <x@evil.test>']) {
    t.match(await wait(wanted), /<?x@evil\.test>?$/, wanted);
  }
  t.equal(await wait('jane'), '"Doe, Jane" <x@evil.test>', 'a name is looked for in all of it');

  // The address alone, not a longer one that begins with it.
  instance.dns.zone.set('bank.test.evil.test', 'TXT', ['v=spf1 +all']);
  await from('ceo@bank.test.evil.test');
  t.equal(await wait('ceo@bank.test'), null);
});

t.test('mail whose sender cannot be verified is deferred', async (t) => {
  await using instance = await startInstance();
  publish(instance);
  const { zone } = instance.dns;
  const { ann } = instance.agents;
  const envelope = { from: 'x@evil.test', to: [ann.address] };
  // A signature whose key has a name longer than DNS allows.
  const bodyHash = createHash('sha256').update('Hello.\r\n').digest('base64');
  const signature = (selector: string) =>
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=bank.test; s=${selector}; h=from; bh=${bodyHash}; b=AAAA`;
  const selector = Array.from({ length: 5 }, () => 'x'.repeat(60)).join('.');
  const unasked = { From: CEO, 'DKIM-Signature': signature(selector) };
  t.match(await refusalOf(instance.smtpPort, { ...envelope, headers: unasked }), /^550 5\.7\.26/);
  // One whose key cannot be had for now: it might pass.
  zone.fail('s._domainkey.bank.test', 'SERVFAIL');
  const unanswered = { From: CEO, 'DKIM-Signature': signature('s') };
  t.match(
    await refusalOf(instance.smtpPort, { ...envelope, headers: unanswered }),
    /^451 4\.7\.26/,
    'it may come again',
  );
  t.same(await stored(instance), []);

  // Under another policy it is taken, and marked; an allow rule has it come again rather than lets it in or drops it.
  zone.set('friend.test', 'TXT', ['v=spf1 -all']);
  zone.fail('_dmarc.friend.test', 'SERVFAIL');
  const friend = { ...envelope, headers: { From: 'friend@friend.test' } };
  t.match(await sendMail(instance.smtpPort, friend), /^250/);
  t.match(await stored(instance), [{ authentication: { dmarc: 'temperror' } }]);
  const api = instance.client(ann);
  await api.identity.update({ filter_mode: 'whitelist' });
  t.match(await sendMail(instance.smtpPort, friend), /^250/, 'an unknown sender’s is dropped');
  await api.identity.createRule({ match: 'exact_email', value: 'friend@friend.test', action: 'allow' });
  t.match(await refusalOf(instance.smtpPort, friend), /^451 4\.7\.26/);
  t.equal((await stored(instance)).length, 1);
  t.same(instance.faults, []);
});
