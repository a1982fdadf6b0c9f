import t from 'tap';
import { startEmbeddings } from '../../harness/http/embeddings-server.ts';
import { startInstance } from '../../harness/instance.ts';
import { FAST } from '../../harness/knowledge.ts';
import { sendMail } from '../../harness/smtp/send-mail.ts';

const DIMENSIONS = 256;

t.test('mail is found by its meaning, among what else is asked for', async (t) => {
  await using server = await startEmbeddings(DIMENSIONS);
  const toml = `[knowledge.embeddings]\nurl = "${server.url}"\nmodel = "bag"\ndimensions = ${DIMENSIONS}\n`;
  await using instance = await startInstance({
    toml,
    runtime: { ...FAST, embeddings: { intervalMs: 5, backOffMs: 40, maxBackOffMs: 80 } },
  });
  const { ann } = instance.agents;
  for (const [subject, text] of [
    ['Your parcel', 'The parcel waits at the depot.'],
    ['Lunch', 'Shall we eat at noon?'],
    ['Car', 'A car and a refund.'],
  ]) {
    await sendMail(instance.smtpPort, { to: [ann.address], headers: { Subject: subject ?? '' }, text: text ?? '' });
  }
  const { search } = instance.client(ann);
  const found = async (q: string, limit = 20) => (await search.search({ q, limit })).hits.map(({ subject }) => subject);
  t.equal((await found('like:shipment'))[0], 'Your parcel');
  t.equal((await found('like:"automobile reimbursement"', 1))[0], 'Car');
  t.same(await found('like:shipment noon'), ['Lunch'], 'only what has the other words');
  t.same(await found('-like:shipment').catch(({ code }) => code), 'invalid_request');
  const asked = server.asked.length;
  await found('like:shipment');
  t.equal(server.asked.length, asked, 'vectors are remembered');
  server.answer(() => ({ status: 503 }));
  t.same(await found('like:other').catch(({ code }) => code), 'overloaded');

  await using off = await startInstance({ runtime: FAST });
  const refused = await off.request(off.agents.ann, 'GET', '/v1/search?q=like:x');
  t.match([refused.status, await refused.json()], [400, { error: 'invalid_request', hint: /off on this server/ }]);
  t.same(instance.faults, []);
});
