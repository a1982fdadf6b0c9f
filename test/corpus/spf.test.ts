/** Every case of the OpenSPF suite for RFC 7208: through our authentication, and a part of it over the wire. */

import t from 'tap';
import { authenticate } from '../../src/mail/authenticate.ts';
import { missingCorpora } from './corpora.ts';
import { readSpfSuite, resolverOfZone } from './spf-suite.ts';

const MESSAGE = Buffer.from('From: carol@remote.test\r\nSubject: A question\r\n\r\nHello.\r\n');

t.test('SPF as the suite has it', { skip: missingCorpora }, async (t) => {
  let cases = 0;
  for (const { description, cases: ofScenario, zone } of readSpfSuite()) {
    const resolve = resolverOfZone(zone);
    for (const { name, host, helo, mailFrom, results } of ofScenario) {
      const session = { ip: host, helo, mailFrom, authservId: 'mx.box.test' };
      const { spf } = await authenticate(MESSAGE, session, resolve);
      t.ok(results.includes(spf), `${description}, ${name}: ${results.join(' or ')}`, { found: spf });
      cases += 1;
    }
  }
  t.equal(cases, 200, 'the whole suite');
});
