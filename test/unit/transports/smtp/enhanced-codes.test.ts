import t from 'tap';
import { enhancedCodeFor, hasEnhancedCode } from '../../../../src/transports/smtp/enhanced-codes.ts';

t.test('the codes of the library’s replies', (t) => {
  const cases: [code: number, text: string, context: string | false | undefined, enhanced: string | null][] = [
    [220, 'mx ESMTP', false, null],
    [220, 'Ready to start TLS', undefined, '2.0.0'],
    [354, 'End data', undefined, null],
    [334, '', undefined, null],
    [250, 'Accepted', 'MAIL_FROM_OK', '2.1.0'],
    [250, 'Accepted', 'RCPT_TO_OK', '2.1.5'],
    [250, 'OK', undefined, '2.0.0'],
    [421, 'Error: too many unrecognized commands', 'FOO', '4.7.0'],
    [421, 'Server shutting down', 'EHLO', '4.3.2'],
    [452, 'Error: too many recipients', 'TOO_MANY_RECIPIENTS', '4.5.3'],
    [500, 'Error: command not recognized', 'FOO', '5.5.2'],
    // The client chose this command's name.
    [500, 'Error: command not recognized', 'DATA_OK', '5.5.2'],
    [501, 'Error: Bad sender address syntax', 'SENDER_SYNTAX_ERROR', '5.1.7'],
    [501, 'Error: Bad recipient address syntax', 'MAILBOX_SYNTAX_ERROR', '5.1.3'],
    [501, 'Error: Bad message size syntax', undefined, '5.5.4'],
    [503, 'Error: need RCPT command', undefined, '5.5.1'],
    [599, 'Something new', undefined, '5.0.0'],
  ];
  for (const [code, text, context, enhanced] of cases) {
    t.equal(enhancedCodeFor(code, text, context), enhanced, `${code} ${text}`);
  }
  t.ok(hasEnhancedCode('5.1.1 No such mailbox'));
  t.notOk(hasEnhancedCode('5.1 No'));
  t.end();
});
