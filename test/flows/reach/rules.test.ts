/** A filter rule that a person made holds whatever the agent's own keys do. */

import t from 'tap';
import { rulesContract } from '../../../src/resources/identity/rules/contract.ts';
import { request } from '../../harness/domains.ts';
import { startInstance } from '../../harness/instance.ts';
import { asOperator } from '../../harness/operator.ts';
import { eventually, sendMail } from '../../harness/smtp/send-mail.ts';

t.test('no agent removes it, overrides it or takes it over', async (t) => {
  await using instance = await startInstance();
  const { ann } = instance.agents;
  const block = { match: 'domain' as const, value: 'remote.test', action: 'block' as const };
  const byPerson = (rule: typeof block) =>
    asOperator(instance, (call) => call(rulesContract.add, { agent: 'ann', ...rule }));
  const byAnn = (rule: object) => request<{ id: string }>(instance, ann, 'POST', '/v1/identity/rules', rule);
  const remove = async (id: string) => {
    const { status, body } = await request(instance, ann, 'DELETE', `/v1/identity/rules/${id}`);
    return [status, body.error];
  };

  const { id } = await byPerson(block);
  t.same(await remove(id), [403, 'insufficient_scope']);
  t.match(await byAnn(block), { status: 201, body: { id } }, 'it is there already');
  t.same(await remove(id), [403, 'insufficient_scope']);
  t.equal((await byAnn({ match: 'exact_email', value: 'carol@remote.test', action: 'allow' })).status, 201);
  await sendMail(instance.smtpPort, { to: [ann.address] });
  await eventually(async () => (await instance.events()).some(({ name }) => name === 'message.filtered'));
  t.same((await instance.client(ann).messages.list({})).messages, []);

  const own = await byAnn({ ...block, value: 'own.test' });
  t.same(await remove(own.body.id), [200, undefined], 'its own rules are its own');
  const shared = await byAnn({ ...block, value: 'shared.test' });
  t.match(await byPerson({ ...block, value: 'shared.test' }), { id: shared.body.id });
  t.same(await remove(shared.body.id), [403, 'insufficient_scope'], 'what a person wants too is a person’s');

  await asOperator(instance, (call) => call(rulesContract.remove, { agent: 'ann', rule_id: id }));
  await sendMail(instance.smtpPort, { to: [ann.address] });
  await eventually(async () => (await instance.client(ann).messages.list({})).messages.length === 1);
  t.same(instance.faults, []);
});
