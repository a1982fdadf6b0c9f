import t from 'tap';
import { toReason } from '../../../src/mail-log/classify.ts';
import { toRefusedReason } from '../../../src/mail-log/mail-log.ts';

t.test('replies of large receivers, and of hosts that give codes alone', async (t) => {
  for (const [code, enhanced, text, reason] of [
    [550, '5.1.1', 'The email account that you tried to reach does not exist. gsmtp', 'unknown_recipient'],
    [550, '5.7.26', 'This mail has been blocked because the sender is unauthenticated. gsmtp', 'unauthenticated'],
    [421, '4.7.28', 'Gmail has detected an unusual rate of unsolicited mail', 'rate_limited'],
    [550, '5.7.1', 'Our system has detected that this message is likely unsolicited mail', 'content_refused'],
    [550, '5.7.1', 'Unfortunately, messages from [192.0.2.1] were not sent. (S3140)', 'reputation'],
    [
      451,
      '4.7.650',
      'The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation',
      'rate_limited',
    ],
    [550, '5.7.511', 'Access denied, banned sender[192.0.2.1]', 'reputation'],
    [421, '4.7.27', 'Your email has been rate limited because SPF authentication did not pass', 'unauthenticated'],
    [421, '4.7.32', "Your email has been rate limited because the From: header isn't aligned", 'unauthenticated'],
    [421, '4.7.23', 'The sending IP address has no PTR record. Your email has been rate limited', 'no_reverse_dns'],
    [550, '5.7.515', 'The sending domain does not meet the required authentication level', 'unauthenticated'],
    [550, null, 'Reject due to SPF policy. The originating IP is not permitted by the owner', 'unauthenticated'],
    [450, '4.2.1', 'The user you are trying to contact is receiving mail at a rate that …', 'rate_limited'],
    [451, '4.7.500', 'Server busy. Please try again later from [192.0.2.1]. (AS77719)', 'rate_limited'],
    [450, '4.1.1', 'unverified address: Address verification in progress', 'greylisted'],
    [452, '4.1.1', 'user over quota', 'busy'],
    [550, '5.7.1', 'Client host [192.0.2.1] blocked using dnsbl-1.uceprotect.net', 'reputation'],
    [554, null, 'Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'reputation'],
    [550, '5.7.708', 'Access denied, traffic not accepted from this IP', 'reputation'],
    [421, null, '[TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume', 'rate_limited'],
    [554, '5.7.1', '[HM08] Message rejected due to local policy', 'reputation'],
    [554, null, 'IP=192.0.2.1 - A problem occurred. (… contact tosa@rx.t-online.de to clarify.) (BL)', 'reputation'],
    [554, null, 'IP=192.0.2.1 - Dialup/transient IP not allowed. … toda@rx.t-online.de … (DIAL)', 'reputation'],
    [550, '5.7.25', 'The IP address sending this message does not have a PTR record', 'no_reverse_dns'],
    [450, '4.2.0', 'Greylisted, see http://postgrey.example/', 'greylisted'],
    [452, '4.2.2', 'The email account is over quota', 'mailbox_full'],
    [552, '5.3.4', 'Message size exceeds fixed limit', 'too_large'],
    [550, null, 'Requested action not taken', 'policy'],
    [452, null, 'Too much', 'busy'],
    [null, null, 'connect ETIMEDOUT 192.0.2.1:25', 'unreachable'],
    [null, '5.1.2', 'This domain does not exist, or has no mail server', 'no_such_domain'],
    [null, '4.7.5', 'TLS is required by MTA-STS', 'tls_required'],
    [503, '5.5.1', 'Bad sequence', 'protocol'],
  ] as const) {
    t.equal(toReason({ code, enhanced, text }), reason, text);
  }
});

t.test('an ambiguous code has the reason that the bounce rules read of the words', async (t) => {
  const text = 'Invalid recipient: <carol@remote.test>';
  t.equal(toReason({ code: 550, enhanced: null, text, isOfAddress: true }), 'unknown_recipient');
  const outlook = { code: 550, enhanced: '5.5.0', text: 'Requested action not taken: mailbox unavailable' };
  t.equal(toReason({ ...outlook, isOfAddress: true }), 'unknown_recipient');
  t.equal(toReason({ code: 550, enhanced: '5.7.1', text: 'Blocked: dmarc', isOfAddress: true }), 'unauthenticated');
  t.equal(toReason({ code: 550, enhanced: '5.2.2', text, isOfAddress: true }), 'mailbox_full');
});

t.test('refusals of our own', async (t) => {
  for (const [code, reply, reason] of [
    [550, '5.1.1 No such mailbox here', 'unknown_recipient'],
    [550, '5.2.1 This mailbox takes no mail', 'recipient_suspended'],
    [452, '4.2.2 This mailbox is full', 'mailbox_full'],
    [550, '5.7.26 The DMARC policy of x.test has this mail refused', 'unauthenticated'],
    [554, '5.4.6 Too many hops: this mail is going in a circle', 'mail_loop'],
    [452, '4.3.1 Not stored, please try again later', 'busy'],
    [552, '5.3.4 Too large', 'too_large'],
  ] as const) {
    t.equal(toRefusedReason(code, reply), reason, reply);
  }
});
