import { readFileSync } from 'node:fs';
import t from 'tap';
import {
  BounceRulesError,
  classifyFailure,
  classifyReply,
  parseBounceRules,
} from '../../../src/config/bounce-rules.ts';
import { processorMs } from '../../harness/processor-ms.ts';

const file = new URL('../../../config/bounce-rules.toml', import.meta.url);
const replies = parseBounceRules(readFileSync(file, 'utf8'), file.pathname);

const reply = (text: string) => {
  const [, code, enhanced] = /^(\d{3})[ -](?:(\d\.\d+\.\d+)\s)?/.exec(text) ?? [];
  return { code: code ? Number(code) : null, enhancedCode: enhanced ?? null, text };
};

const MEANINGS: Record<string, string[]> = {
  permanent: [
    '524 5.2.4 Mailing list expansion problem: <bob@y.example>',
    '550 5.1.1 <ann@x.example>: Recipient address rejected: User unknown in virtual mailbox table',
    "550-5.1.1 The email account that you tried to reach does not\n550-5.1.1 exist. Please try double-checking\n550 5.1.1 the recipient's address",
    '550 5.4.1 Recipient address rejected: Access denied. [AM7EUR03FT005.eop-EUR03.prod.protection.outlook.com]',
    '550 5.4.1 All recipient addresses rejected : Access denied. AS(201806281)',
    '550 No such user here',
    '550 Requested action not taken: mailbox unavailable',
    "554 delivery error: dd This user doesn't have a yahoo.com account (ann@yahoo.com) [0]",
    '550 5.2.1 The email account that you tried to reach is disabled.',
    '551 5.1.6 gone',
    '556 5.1.10 Recipient address has null MX',
    '550 hm',
    '550 5.7.1 <ann@x.example>: Recipient address rejected: User unknown',
    '550 5.5.0 Bal inexistante ou inactive',
    '550 5.2.1 <ann@x.example>... Addressee unknown, relay=[192.0.2.1]',
    '550 5.2.1 This mailbox has been blocked due to inactivity',
    '540 5.7.1 <ann@x.example>: recipient address rejected: Inactive',
  ],
  blocked: [
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '550 5.7.1 Access denied',
    '550 5.1.1 IP address blacklisted by recipient',
    '550 5.1.8 <bob@y.example>: Sender address rejected: Domain not found',
    "550 5.7.26 Unauthenticated email from y.example is not accepted due to domain's DMARC policy.",
    '554 Transaction failed',
    '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\n550 5.2.1 prevents additional messages from being delivered.',
    '550 spam message rejected',
    '550-Requested action not taken: mailbox unavailable\n550-Reject due to policy restrictions.\n550 For explanation visit https://postmaster.gmx.net/',
    '550-Requested action not taken: mailbox unavailable\n550 Invalid DNS MX or A/AAAA resource record.',
    "550 SC-001 Unfortunately, messages from 192.0.2.1 weren't sent.",
    '550 rejecting spoofed message',
    '550 could not verify sender',
    '550 RP:TRC 163 mx14,PcCowEC_1,5000',
    '550 Requested mail action not taken: too much recipient',
  ],
  message: [
    '552 5.3.4 Message size exceeds fixed limit',
    '552 5.2.3 Message length exceeds administrative limit',
    '552 Message too large',
    '550 5.6.0 Lone LF in body',
    '553 5.6.7 SMTPUTF8 is required',
    '554 5.6.3 Conversion required but not supported',
    '552-5.7.0 This message was blocked because its content presents a potential\n552 5.7.0 security issue. Please visit https://support.google.com/mail/?p=BlockedMessage',
    '552-5.7.0 Our system detected an illegal attachment on your message. Please visit https://support.google.com/mail/?p=illegal-attachment',
  ],
  expired: [
    '552 5.2.2 <ann@x.example> mailbox full',
    '552 5.2.2 no',
    '550 The mailbox of ann@x.example is full',
    '554 5.4.7 Delivery time expired',
    '552 requested mail action aborted',
  ],
  retry: [
    '421 4.7.0 Try again later',
    '450 4.1.1 <ann@x.example>: Recipient address rejected: User unknown in local recipient table',
    '452 4.2.2 The email account that you tried to reach is over quota',
    '451 greylisted',
    '250 no such user',
    'Connection reset, mailbox unavailable',
  ],
};

t.test('what a reply means', async (t) => {
  for (const [meaning, texts] of Object.entries(MEANINGS)) {
    for (const text of texts) t.equal(classifyReply(replies, reply(text)), meaning, text);
  }
});

t.test('a code alone is about the address in the reply to RCPT', async (t) => {
  const said = reply('550 Your mail looks like an advertisement');
  t.equal(classifyReply(replies, { ...said, isOfRecipient: true }), 'permanent');
  t.equal(classifyReply(replies, { ...said, isOfRecipient: false }), 'blocked');
  t.equal(classifyReply(replies, { ...reply('554 User unknown'), isOfRecipient: false }), 'permanent', 'said so');
});

t.test('what another host gave up on for the time is never for good', async (t) => {
  t.equal(classifyFailure(replies, reply('452 4.2.2 mailbox full')), 'expired');
  t.equal(classifyFailure(replies, reply('450 4.1.1 User unknown')), 'expired');
  t.equal(
    classifyFailure(replies, reply('550 <user-unknown@x.test> refused')),
    classifyFailure(replies, reply('550 <a@x.test> refused')),
    'an address says nothing',
  );
  t.equal(classifyFailure(replies, reply('421 4.7.0 IP blacklisted')), 'blocked');
  t.equal(classifyFailure(replies, { code: null, enhancedCode: '4.4.7', text: '' }), 'expired');
  t.equal(classifyFailure(replies, { code: null, enhancedCode: null, text: 'hm' }), 'blocked', 'nothing known');
  t.equal(classifyFailure(replies, { code: null, enhancedCode: '5.1.1', text: '' }), 'permanent');
});

t.test('a long hostile reply costs little', async (t) => {
  const text = `550 ${'user '.repeat(100_000)}`;
  const began = processorMs();
  classifyReply(replies, { code: 550, enhancedCode: null, text });
  t.ok(processorMs() - began < 100, 'under 100 ms');
});

t.test('a table that is none is told', async (t) => {
  const problems: [toml: string, told: RegExp][] = [
    ['rule = 3', /rule/],
    ['[[rule]]\nmeans = "gone"\ncodes = [550]', /means/],
    ['[[rule]]\nmeans = "blocked"', /a rule names codes, enhanced or text/],
    ['[[rule]]\nmeans = "blocked"\ncodes = [250]', /400 to 599/],
    ['[[rule]]\nmeans = "blocked"\nenhanced = ["5.1.1"]', /subject and detail/],
    ['[[rule]]\nmeans = "blocked"\ntext = ["Spam"]', /lower case/],
    ['[[rule]]\nmeans = "blocked"\ntext = ["... spam"]', /words/],
    ['[[rule]]\nmeans = "blocked"\nwords = ["spam"]', /words/],
    ['[[rule', /x\.toml/],
  ];
  for (const [toml, told] of problems) {
    t.throws(() => parseBounceRules(toml, 'x.toml'), { name: 'BounceRulesError', message: told }, toml);
  }
  t.throws(() => parseBounceRules('', 'x.toml'), BounceRulesError);
});
