/** Every case of the OpenSPF suite for RFC 7208: through our authentication, and a part of it over the wire. */

import t from 'tap';
import { authenticate } from '../../src/mail/auth/authenticate-message.ts';
import { readMessage } from '../../src/mail/header/message-header.ts';
import { startInstance, type TestInstance } from '../harness/instance.ts';
import { someOf } from '../harness/long-form.ts';
import { RawSmtp } from '../harness/smtp/raw-smtp.ts';
import { missingCorpora } from './corpora.ts';
import { readSpfSuite, resolverOfZone, type SpfCase, type SpfScenario } from './spf-suite.ts';

const MESSAGE = Buffer.from('From: carol@remote.test\r\nSubject: A question\r\n\r\nHello.\r\n');

t.test('SPF as the suite has it', { skip: missingCorpora }, async (t) => {
  let cases = 0;
  for (const { description, cases: ofScenario, zone } of readSpfSuite()) {
    const resolve = resolverOfZone(zone);
    for (const { name, host, helo, mailFrom, results } of ofScenario) {
      const session = { ip: host, helo, mailFrom, authservId: 'mx.box.test' };
      const { spf } = await authenticate(readMessage(MESSAGE), session, resolve);
      t.ok(results.includes(spf), `${description}, ${name}: ${results.join(' or ')}`, { found: spf });
      cases += 1;
    }
  }
  t.equal(cases, 200, 'the whole suite');
});

/** c-ares asks for no name with a colon, a blank or a percent sign in it. Nobody has such a host. */
const UNASKED = new Set([
  'a-colon-domain',
  'a-colon-domain-ip4mapped',
  'mx-colon-domain',
  'mx-colon-domain-ip4mapped',
  'macro-mania-in-domain',
]);

const publish = (instance: TestInstance, { zone }: SpfScenario): void => {
  for (const [name, entries] of zone) {
    for (const entry of entries) {
      if (entry === 'TIMEOUT') continue;
      const { type, value } = entry;
      const { zone: served } = instance.dns;
      if (type === 'TXT') served.set(name, type, [...served.get(name, type), [value].flat().join('')]);
      else if (type === 'A' || type === 'AAAA' || type === 'PTR' || type === 'CNAME') {
        served.set(name, type, [...served.get(name, type), String(value)]);
      } else if (type === 'MX') {
        const [priority, exchange] = value as [number, string];
        served.set(name, type, [...served.get(name, type), { priority, exchange }]);
      }
    }
  }
};

/** @returns what REST says of SPF; null where the envelope was refused */
const throughTheDaemon = async (instance: TestInstance, { host, helo, mailFrom }: SpfCase): Promise<string | null> => {
  await using client = await RawSmtp.connect({ port: instance.smtpPort });
  client.write(`PROXY TCP${host.includes(':') ? 6 : 4} ${host} ${host} 40000 25\r\n`);
  const lines = [`HELO ${helo}`, `MAIL FROM:<${mailFrom}>`, `RCPT TO:<${instance.agents.ann.address}>`, 'DATA'];
  await client.reply();
  for (const line of lines) if (!/^[23]/.test(await client.command(line))) return null;
  client.write(`${MESSAGE}.\r\n`);
  const reply = await client.reply(30_000);
  if (!reply.startsWith('250')) throw new Error(reply);
  const { messages } = await instance.client(instance.agents.ann).messages.list({ limit: 1 });
  return messages[0]?.authentication?.spf ?? null;
};

t.test('SPF over the wire, from the addresses of the suite', { skip: missingCorpora }, async (t) => {
  const counts = { agreed: 0, refused: 0 };
  for (const scenario of someOf(readSpfSuite())) {
    // DNS that does not answer takes its time, and says no more than it does above.
    if ([...scenario.zone.values()].some((entries) => entries.includes('TIMEOUT'))) continue;
    await using instance = await startInstance({ smtp: 'proxies = ["127.0.0.1"]' });
    publish(instance, scenario);
    for (const spfCase of scenario.cases) {
      const spf = await throughTheDaemon(instance, spfCase);
      if (UNASKED.has(spfCase.name)) t.equal(spf, 'permerror', `${spfCase.name}: a name that is not asked for`);
      else if (spf === null) counts.refused += 1;
      else {
        counts.agreed += 1;
        t.ok(spfCase.results.includes(spf), `${spfCase.name}: ${spfCase.results.join(' or ')}`, { found: spf });
      }
    }
    t.same(instance.faults, []);
  }
  t.comment(`${counts.agreed} compared, ${counts.refused} refused for their envelope`);
  t.ok(counts.agreed > 2 * counts.refused, 'the most part is compared');
});
