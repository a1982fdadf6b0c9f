/** The ARC validation suite of Valimail (RFC 8617), through our authentication. */

import { readFileSync } from 'node:fs';
import t from 'tap';
import { authenticate } from '../../src/mail/auth/authenticate-message.ts';
import { readMessage } from '../../src/mail/header/message-header.ts';
import { resolverOf } from '../unit/mail/auth/zone.ts';
import { corpusPath, missingCorpora } from './corpora.ts';

interface Scenario {
  description: string;
  tests: Record<string, { description?: string; message: string; cv: string }>;
  'txt-records': Record<string, string>;
}

/** Where we answer otherwise: what, and why. */
const EXCEPTIONS: Record<string, { found: string; reason: string }> = {
  ams_fields_c_na: {
    found: 'fail',
    reason: 'signed relaxed; without c= it is simple/simple (RFC 8617 section 4.1.2, RFC 6376 section 3.5)',
  },
  ams_fields_h_empty: { found: 'fail', reason: 'h= must not be empty (RFC 6376 section 3.5), as From must be in it' },
  // The suite leaves these three open; RFC 8617 section 5.2 step 2 does not.
  cv_fail_i1_as_cv_fail: { found: 'fail', reason: 'the newest seal says cv=fail' },
  cv_fail_i2_as2_fail: { found: 'fail', reason: 'the newest seal says cv=fail' },
  cv_fail_i2_as1_fail: { found: 'fail', reason: 'an older seal says cv=fail' },
};

const SESSION = { ip: '192.0.2.1', helo: 'mx.remote.test', mailFrom: 'jqd@d1.example.org', authservId: 'mx.box.test' };

t.test('ARC as the suite has it', { skip: missingCorpora }, async (t) => {
  const path = corpusPath('arc-valimail', 'arc-draft-validation-tests.json');
  const scenarios = JSON.parse(readFileSync(path, 'utf8')) as Scenario[];
  let cases = 0;
  for (const { description, tests, 'txt-records': records } of scenarios) {
    const answers = Object.entries(records).map(([name, text]) => [`TXT ${name.toLowerCase()}`, [[text]]]);
    const resolve = resolverOf(Object.fromEntries(answers));
    for (const [name, { message, cv }] of Object.entries(tests)) {
      const raw = Buffer.from(message.replace(/\r?\n/g, '\r\n'));
      const { arc } = await authenticate(readMessage(raw), SESSION, resolve);
      const exception = EXCEPTIONS[name];
      t.equal(arc, exception?.found ?? cv.toLowerCase(), `${description}, ${name} ${exception?.reason ?? ''}`);
      if (exception) t.not(arc, cv.toLowerCase(), `${name} is still an exception`);
      cases += 1;
    }
  }
  t.equal(cases, 171, 'the whole suite');
});
