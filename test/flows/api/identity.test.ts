import t from 'tap';
import { startInstance } from '../../harness/instance.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('an identity reads and changes itself', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  t.match(await ann.identity.get({}), { handle: 'ann', display_name: null, filter_mode: 'blacklist', rules: [] });
  const named = await ann.identity.update({ display_name: 'Ann of Acme', description: 'Answers questions' });
  t.match(named, { display_name: 'Ann of Acme', description: 'Answers questions' });
  t.equal((await ann.identity.update({ display_name: null })).display_name, null);

  const errorOf = async (body: unknown) => {
    const response = await instance.request(instance.agents.ann, 'PATCH', '/v1/identity', body);
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  t.same(await errorOf({}), [400, 'nothing_to_update']);
  t.same(await errorOf({ handle: 'bob' }), [409, 'handle_taken']);
  for (const handle of ['A', 'ab', '-abc', 'abc-', 'with space', 'postmaster', 'tmp-x1', 'b-123', 'xn--abc', 7]) {
    t.same(await errorOf({ handle }), [400, 'invalid_handle'], `${handle}`);
  }
  t.same(await errorOf({ filter_mode: 'greylist' }), [400, 'invalid_filter_mode']);
  t.same(await errorOf({ nickname: 'x' }), [400, 'invalid_request']);

  t.match(await ann.identity.update({ handle: 'annabel' }), {
    handle: 'annabel',
    address: 'annabel@acme.agents.box.test',
  });
  await sendMail(instance.smtpPort, { to: ['annabel@acme.agents.box.test'] });
  await sendMail(instance.smtpPort, { to: ['ann@acme.agents.box.test'] });
  t.equal((await ann.messages.list({})).messages.length, 2, 'the address before goes on receiving');
  t.match(
    await instance
      .client(instance.agents.bob)
      .identity.update({ handle: 'ann' })
      .catch((e: unknown) => e),
    { code: 'handle_taken' },
  );
  t.match(await ann.identity.update({ handle: 'ann' }), { handle: 'ann' }, 'and may be taken back');
});

t.test('rules: what is kept and what is refused', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const rule = await ann.identity.createRule({ match: 'exact_email', value: 'Spam@Remote.TEST', action: 'block' });
  t.match(rule, { match: 'exact_email', value: 'spam@remote.test', action: 'block' });
  const again = await instance.request(instance.agents.ann, 'POST', '/v1/identity/rules', {
    match: 'exact_email',
    value: 'spam@remote.test',
    action: 'block',
  });
  t.equal(again.status, 201);
  t.equal(((await again.json()) as { id: string }).id, rule.id, 'said twice, it is one rule');
  t.same((await ann.identity.listRules({})).rules, [rule]);
  for (const bad of [
    { match: 'exact_email', value: 'not an address' },
    { match: 'domain', value: 'a b' },
    { match: 'domain', value: '' },
  ]) {
    const response = await instance.request(instance.agents.ann, 'POST', '/v1/identity/rules', {
      ...bad,
      action: 'block',
    });
    t.equal(response.status, 400);
    t.equal(((await response.json()) as { error: string }).error, 'invalid_value');
  }
  t.match(
    await instance
      .client(instance.agents.bob)
      .identity.deleteRule({ id: rule.id })
      .catch((e: unknown) => e),
    { code: 'rule_not_found' },
  );
  t.same(await ann.identity.deleteRule({ id: rule.id }), { deleted: true });
  t.same((await ann.identity.listRules({})).rules, []);
});

t.test('the filter: rules, modes, and whom an identity knows', async (t) => {
  await using instance = await startInstance();
  const ann = instance.client(instance.agents.ann);
  const to = [instance.agents.ann.address];
  const from = (address: string) => sendMail(instance.smtpPort, { from: address, to, headers: { From: address } });
  const count = async () =>
    (await ann.messages.list({ limit: 100 })).messages.filter(({ direction }) => direction === 'in').length;

  await ann.identity.createRule({ match: 'domain', value: 'noise.test', action: 'block' });
  await ann.identity.createRule({ match: 'exact_email', value: 'friend@noise.test', action: 'allow' });
  t.match(await from('a@noise.test'), /^250/, 'dropped mail is answered 250');
  await from('a@sub.noise.test');
  t.equal(await count(), 0);
  await from('friend@noise.test');
  t.equal(await count(), 1, 'an address overrides its domain');

  await ann.identity.update({ filter_mode: 'whitelist' });
  await from('stranger@remote.test');
  t.equal(await count(), 1);
  await ann.messages.send({ to: ['stranger@remote.test'], subject: 'Hello', body: 'First word' });
  await from('stranger@remote.test');
  t.equal(await count(), 2, 'whom it has written to is known');
  await instance.client(instance.agents.bob).messages.send({ to, subject: 'Colleague', body: 'x' });
  await t.resolves(instance.receiver.waitFor(1));
  await eventually(async () => (await count()) === 3);
  await ann.identity.createRule({ match: 'domain', value: 'trusted.test', action: 'allow' });
  await from('x@trusted.test');
  t.equal(await count(), 4, 'a colleague and a domain that is allowed are known');
  instance.dns.zone.set('trusted.test', 'TXT', ['v=spf1 -all']);
  instance.dns.zone.set('_dmarc.trusted.test', 'TXT', ['v=DMARC1; p=none']);
  instance.dns.zone.set('spoof.trusted.test', 'TXT', ['v=spf1 -all']);
  await from('x@spoof.trusted.test');
  t.equal(await count(), 4, 'a sender that fails DMARC is never recognised by an allow rule');
});
