import t from 'tap';
import { parseReport } from '../../../../src/mail/dsn/parse-report.ts';
import { parseMail } from '../../../../src/mail/mime/parse-message.ts';
import { processorMs } from '../../../harness/processor-ms.ts';

const read = async (text: string) => parseReport(await parseMail(Buffer.from(text.replace(/\r?\n/g, '\r\n'))));

const multipart = (type: string, content: string, text = 'Sorry.') => `From: MAILER-DAEMON@x.example
Subject: Returned mail
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

${text}
--b
Content-Type: ${type}

${content}
--b--
`;

const status = (content: string, text?: string) => read(multipart('message/delivery-status', content, text));

t.test('a delivery status notification', async (t) => {
  t.same(
    await status(`Reporting-MTA: dns; x.example

Original-Recipient: rfc822;Ann@X.example
Final-Recipient: rfc822; <ann@inner.x.example> (Ann)
Action: failed (in vain)
Status: 5.0.0 (undefined)
Diagnostic-Code: smtp;
 550-5.1.1 No such
 user`),
    {
      kind: 'delivery',
      recipients: [
        {
          addresses: ['ann@inner.x.example', 'ann@x.example'],
          action: 'failed',
          code: 550,
          enhancedCode: '5.1.1',
          diagnostic: '550-5.1.1 No such user',
        },
      ],
    },
  );
  t.match(
    await status(
      'Final-Recipient: rfc822; a@x.example\nAction: delayed\nStatus: 4.4.1\n\nFinal-Recipient: rfc822; b@x.example\nAction: relayed\nStatus: 2.1.9',
    ),
    { recipients: [{ action: 'delayed' }, { action: 'relayed' }] },
    'one of two, without the group about the message',
  );
  t.match(await status('Final-Recipient: rfc822; a@x.example\nStatus: 5.1.1'), { recipients: [{ action: 'failed' }] });
  t.match(await status('Final-Recipient: rfc822; a@x.example\nStatus: 4.4.1'), { recipients: [{ action: 'delayed' }] });
  t.match(await status('Final-Recipient: rfc822; a@x.example\nAction: failed\nStatus: 2.0.0'), {
    recipients: [{ action: 'delivered' }],
  });
  t.match(await status('Final-Recipient: rfc822; a@x.example\nAction: deliverable\nStatus: 5.0.0'), {
    recipients: [{ action: 'delivered' }],
  });
});

t.test('the words for people where the fields say nothing', async (t) => {
  t.match(
    await status(
      'Final-Recipient: rfc822; a@x.example\nAction: failed\nStatus: 5.0.0',
      '<a@x.example>: host mx.x.example said: 550 5.7.26 Unauthenticated',
    ),
    { recipients: [{ code: 550, enhancedCode: '5.7.26', diagnostic: /Unauthenticated/ }] },
  );
});

t.test('addresses beyond ASCII (RFC 6533)', async (t) => {
  const recipients = [{ addresses: ['jürgen@x.example'] }];
  t.match(await status('Final-Recipient: utf-8; J\\x{FC}rgen@x.example\nAction: failed\nStatus: 5.1.1'), {
    recipients,
  });
  t.match(
    await read(
      multipart(
        'message/global-delivery-status',
        'Final-Recipient: utf-8; jürgen@x.example\nAction: failed\nStatus: 5.1.1',
      ),
    ),
    { recipients },
  );
  t.match(await status('Final-Recipient: utf-8; \\x{FFFFFF}@x.example\nAction: failed\nStatus: 5.1.1'), {
    recipients: [Object],
  });
});

t.test('a feedback report', async (t) => {
  const feedback = (content: string) => read(multipart('message/feedback-report', content));
  t.same(await feedback('Feedback-Type: Abuse\nVersion: 1'), { kind: 'feedback', feedbackType: 'abuse' });
  t.same(await feedback('Version: 1\nFeedback-Type:not-spam'), { kind: 'feedback', feedbackType: 'not-spam' });
  t.same(await feedback('Version: 1'), { kind: 'feedback', feedbackType: 'abuse' }, 'the kind that the format is for');
});

const plain = (from: string, subject: string, text: string, more = '') =>
  read(`From: ${from}\nSubject: ${subject}\n${more}\n${text}\n`);

t.test('what people and their vacation programs write is no bounce', async (t) => {
  t.equal(await plain('delivery@x.example', 'Welcome', 'What was not delivered is paid back.'), null);
  const quoted = '<bob@x.example>: could not be delivered. 550 5.1.1 User unknown';
  t.equal(await plain('Ann <ann@x.example>', 'Re: Undelivered mail', quoted), null);
  t.equal(await plain('Ann <ann@x.example>', 'Fwd: Returned mail: see transcript', quoted), null);
  t.equal(await plain('Ann <ann@x.example>', 'Out of office', quoted, 'Auto-Submitted: auto-replied\n'), null);
  t.equal(await plain('Ann <ann@x.example>', 'Delivery problem', 'Where is my parcel?'), null);
  for (const before of ['Automatic reply: ', '自動返信：', '[Request received] '])
    t.equal(await plain('Ann <ann@x.example>', `${before}Delivery status`, 'I am unable to reach my mail.'), null);
  t.equal(await plain('No Reply <noreply@x.example>', 'Your ticket', 'It failed to deliver; mailbox is full.'), null);
  t.equal(await plain('postmaster@x.example', 'Welcome', 'Your new mailbox is ready.'), null);
});

t.test('notices for people', async (t) => {
  const said = 'Your message could not be delivered.\n\n<ann@x.example>:\n550 5.1.1 User unknown';
  const told = { recipients: [{ action: 'failed', addresses: ['ann@x.example'], code: 550, enhancedCode: '5.1.1' }] };
  t.match(await plain('MAILER-DAEMON@x.example', 'failure notice', said), told);
  t.match(await plain('<>', 'failure notice', said), told);
  t.match(
    await plain(
      'MAILER-DAEMON@x.example',
      'failure notice',
      `${said}\n\n--- Below this line is a copy\n\n554 5.7.1 x\n<bob@y.example>:`,
    ),
    told,
    'what came back is not read',
  );
  t.match(await plain('MAILER-DAEMON@x.example', 'Warning: message delayed', `Your mail has been delayed.\n${said}`), {
    recipients: [{ action: 'delayed' }],
  });
  t.match(await plain('MAILER-DAEMON@x.example', 'x', 'Hello', 'X-Failed-Recipients: ann@x.example, bob@x.example\n'), {
    recipients: [{ addresses: ['ann@x.example'] }, { addresses: ['bob@x.example'] }],
  });
});

t.test('hostile reports take no time', async (t) => {
  const long = 200_000;
  const texts = [
    '\n'.repeat(long),
    ' '.repeat(long),
    '>'.repeat(long),
    '- '.repeat(long),
    'a@b '.repeat(long / 4),
    'a@b\n'.repeat(long / 4),
    `${'x'.repeat(60)}@`.repeat(long / 60),
    '550 '.repeat(long / 4),
    '550-5.1.1 '.repeat(long / 10),
    'could not '.repeat(long / 10),
    'has failed '.repeat(long / 11),
    '<'.repeat(long),
    'to: '.repeat(long / 4),
    '='.repeat(long),
    '(#5.1.1'.repeat(long / 7),
  ];
  for (const text of texts) {
    const name = JSON.stringify(text.slice(0, 12));
    const parsed = [
      await parseMail(Buffer.from(`From: MAILER-DAEMON@x.example\nSubject: failure notice\n\n${text}`)),
      await parseMail(
        Buffer.from(multipart('message/delivery-status', `Final-Recipient: ${text}\nAction: failed\nStatus: 5.0.0`)),
      ),
      await parseMail(Buffer.from(multipart('message/delivery-status', text))),
      await parseMail(Buffer.from(multipart('message/feedback-report', `Feedback-Type:${text}`))),
      await parseMail(Buffer.from(`From: x@x.example\nX-Failed-Recipients: ${text.replaceAll('\n', ',')}\n\nx`)),
    ];
    const began = processorMs();
    for (const mail of parsed) parseReport(mail);
    const took = processorMs() - began;
    t.ok(took < 1000, `${name}: ${Math.round(took)} ms`);
  }
  const many = Array.from(
    { length: 5000 },
    (_, n) => `Final-Recipient: rfc822; a${n}@x.example\nAction: failed\nStatus: 5.1.1\n`,
  ).join('\n');
  const report = await status(many);
  t.equal(report?.kind === 'delivery' && report.recipients.length, 50);
});

t.test("a provider's notice in JSON", async (t) => {
  const bounce = (action: string, type = 'Permanent') =>
    `{"notificationType":"Bounce","bounce":{"bounceType":"${type}","bouncedRecipients":[{"emailAddress":"ann@x.example","action":"${action}","status":"5.1.1","diagnosticCode":"smtp; 550 5.1.1 user \\"ann\\" unknown"}],"x":[{"emailAddress":"no@x.example"}]}}`;
  const from = 'no-reply@sns.amazonaws.com';
  const recipients = [
    {
      addresses: ['ann@x.example'],
      action: 'failed',
      code: 550,
      enhancedCode: '5.1.1',
      diagnostic: /^550 5\.1\.1 user/,
    },
  ];
  t.match(await plain(from, 'AWS Notification Message', bounce('failed')), { recipients });
  t.match(await plain(from, 'x', `{"Type":"Notification","Message":${JSON.stringify(bounce('failed'))}}`), {
    recipients,
  });
  t.match(await plain(from, 'x', bounce('delayed', 'Transient')), { recipients: [{ action: 'delayed' }] });
  t.same(await plain(from, 'x', '{"notificationType":"Complaint","complaint":{"complaintFeedbackType":"abuse"}}'), {
    kind: 'feedback',
    feedbackType: 'abuse',
  });
  t.equal(await plain(from, 'x', '{"notificationType":"Delivery"}'), null);
  t.equal(await plain(from, 'x', '{"notificationType":"Bounce"}'), null);
});

t.test('an address that failed because another led to it is told with both', async (t) => {
  const text = (failed: string) => `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${failed}
    (generated from two@x.example)
    host mx.x.example [192.0.2.1]
    SMTP error from remote mail server after RCPT TO:<gone@x.example>:
    550 5.1.1 <gone@x.example>: User unknown
`;
  const exim = (body: string, failed: string) =>
    read(`From: Mail Delivery System <Mailer-Daemon@x.example>
X-Failed-Recipients: ${failed}
Auto-Submitted: auto-replied
Subject: Mail delivery failed: returning message to sender

${body}`);
  const both = {
    addresses: ['gone@x.example', 'two@x.example'],
    code: 550,
    enhancedCode: '5.1.1',
    diagnostic: '550 5.1.1 <gone@x.example>: User unknown',
  };
  t.match(await exim(text('gone@x.example'), 'gone@x.example'), { recipients: [both] });
  t.match(await exim(text('gone@x.example').replace('(gen', '(ultimately gen'), 'gone@x.example'), {
    recipients: [both],
  });
  t.match(
    await status('Action: failed\nFinal-Recipient: rfc822;gone@x.example\nStatus: 5.0.0', text('gone@x.example')),
    { recipients: [both] },
    'beside the fields, which name the last alone',
  );
  t.match(
    await status('Action: failed\nFinal-Recipient: rfc822;two@x.example\nStatus: 5.0.0', text('gone@x.example')),
    { recipients: [both] },
    'beside the fields of Exim 4.96, which name the first alone',
  );
  const piped = text('|/usr/bin/vacation two').replace(/ {4}host[\s\S]*/, '    local delivery failed\n');
  t.match(await exim(piped, '|/usr/bin/vacation two'), {
    recipients: [
      { addresses: ['two@x.example'], diagnostic: /\(generated from two@x\.example\) local delivery failed$/ },
    ],
  });
});

t.test("of Sendmail: the member of an alias, and the words for a program's exit status", async (t) => {
  const fields = (actual: string, diagnostic: string) =>
    `Final-Recipient: RFC822; team@x.example\nX-Actual-Recipient: ${actual}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: ${diagnostic}`;
  const said = '   ----- Transcript of session follows -----\n550 5.1.1 <team@x.example>... User unknown';
  const addressesOf = async (actual: string) => {
    const report = await status(fields(actual, 'SMTP; 550 5.1.1 Not here'));
    return report?.kind === 'delivery' && report.recipients[0]?.addresses;
  };
  t.same(await addressesOf('rfc822; gone@y.example'), ['gone@y.example', 'team@x.example']);
  t.same(await addressesOf('rfc822; team@mx.x.example'), ['team@x.example', 'team@mx.x.example'], 'a mailbox');
  t.match(await addressesOf('X-Unix; |/usr/bin/filter # a@x.example'), { 0: 'team@x.example' }, 'its program');
  t.match(await status(fields('rfc822; team@mx.x.example', 'X-Unix; 67'), said), {
    recipients: [{ code: 550, enhancedCode: '5.1.1', diagnostic: '550 5.1.1 <team@x.example>... User unknown' }],
  });
});

t.test('what a sender may make long is bounded', async (t) => {
  const many = (line: (at: number) => string, separator = '\n') =>
    Array.from({ length: 80 }, (_, at) => line(at)).join(separator);
  const fields = (at: number) => `Final-Recipient: rfc822;u${at}@x.example\nAction: failed\nStatus: 5.1.1`;
  const daemon = 'From: MAILER-DAEMON@x.example\nSubject: Undelivered mail\n';
  const bounded = {
    'groups of fields': await status(many(fields, '\n\n')),
    'addresses in the text': await read(`${daemon}\nFailed:\n\n${many((at) => `u${at}@x.example: 550 unknown`)}`),
    'addresses in the header': await read(
      `${daemon}${many((at) => `X-Failed-Recipients: u${at}@x.example`)}\n\nFailed for good.`,
    ),
  };
  for (const [name, report] of Object.entries(bounded)) {
    t.equal(report?.kind === 'delivery' && report.recipients.length, 50, name);
  }
  const words = '550 5.1.1 '.concat('no '.repeat(1_000));
  for (const report of [
    await status(`Final-Recipient: rfc822;u@x.example\nAction: failed\nDiagnostic-Code: smtp; ${words}`),
    await read(`${daemon}\nFailed:\n\nu@x.example: ${words}`),
  ]) {
    t.equal(report?.kind === 'delivery' && report.recipients[0]?.diagnostic.length, 1_000);
  }
  t.equal(
    await read(`${daemon.replace('Undelivered', 'Your')}\n${'x '.repeat(20_000)}\nuser unknown: u@x.example`),
    null,
  );
});
