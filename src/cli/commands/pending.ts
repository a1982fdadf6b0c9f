/** `postroom pending`: held mail, and a person's decision about it. No API key can decide. */

import { type HeldMailView, reviewContract } from '../../resources/held-mail/review/contract.ts';
import { flag, operationCommand, optional, required } from '../command.ts';
import { refused } from '../failure.ts';
import { details, printable, table } from '../table.ts';

const idOperand = { id: required('ID', 'as `postroom pending list` shows it') };
const noteOption = { note: optional('TEXT', 'the agent reads it as the reason') };

const attachmentLines = ({ attachments }: HeldMailView): string[] =>
  attachments.map(({ filename, contentType, size }) => `${filename} (${contentType}, ${size} bytes)`);

/** The leak guard's findings: names, never values. */
const formatHeld = ({ reason, secrets }: HeldMailView): string | null => {
  if (reason === 'secrets_not_checked') return "not searched, as the vault's key was missing: no names are known";
  if (reason === 'holds_a_secret' && secrets.length === 0) return 'a secret whose name was not kept';
  if (secrets.length === 0) return null;
  return secrets.map(({ name, where }) => `${name} in ${where.join(', ')}`).join('; ');
};

const formatLines = ({ secrets, ...shown }: HeldMailView): string => {
  const holds = formatHeld({ ...shown, secrets });
  const rows = { ...shown, attachments: attachmentLines({ ...shown, secrets }), ...(holds !== null && { holds }) };
  return details(Object.entries(rows));
};

const formatReason = ({ reason, secrets }: HeldMailView): string =>
  secrets.length === 0 ? reason : `${reason}: ${secrets.map(({ name }) => name).join(', ')}`;

const fieldLines = (headers: readonly { name: string; value: string }[]): string =>
  ['Its header, as recipients get it:', ...headers.map(({ name, value }) => printable(`${name}: ${value}`))].join('\n');

const block = (text: string): string => text.split(/\r?\n/).map(printable).join('\n');

const list = operationCommand({
  name: 'pending list',
  summary: 'lists mail that waits for a decision, newest first, up to 1000',
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id') },
  call: async (call, { workspace }) => {
    const { pending } = await call(reviewContract.list, { workspace });
    // `id` as in the other lists.
    return { pending: pending.map((each) => ({ id: each.pending_id, ...each })) };
  },
  text: ({ pending }) =>
    table(
      [
        'id',
        'agent',
        ['RECIPIENTS', ({ to, cc, bcc }) => [...to, ...cc, ...bcc].join(', ')],
        'subject',
        ['ATTACHMENTS', (each) => attachmentLines(each).join(', ')],
        ['WHY', formatReason],
      ],
      pending,
      'Nothing waits.',
    ),
});

const show = operationCommand({
  name: 'pending show',
  summary: 'shows a held mail with its text, and with that of its HTML part where it differs',
  operands: idOperand,
  call: (call, { id }) => call(reviewContract.get, { pending_id: id }),
  text: ({ headers, text, html_text: htmlText, ...shown }) => {
    const body = text === null ? 'Its text is no longer kept here.' : block(text);
    const differing =
      htmlText === null ? [] : ['Its HTML part, which most mail programs show, reads differently:', block(htmlText)];
    return [formatLines(shown), fieldLines(headers), body, ...differing].join('\n\n');
  },
});

const expectSent = (decided: HeldMailView): HeldMailView => {
  const { failure_reason: reason } = decided;
  if (reason === null) return decided;
  throw refused(`It was approved, and not sent: ${reason}. The agent reads this reason as well.`);
};

const approve = operationCommand({
  name: 'pending approve',
  summary: 'approves a held mail: it passes the gate again and goes; a mail that the gate refuses is an error',
  operands: idOperand,
  options: noteOption,
  call: async (call, { id, note = null }) => expectSent(await call(reviewContract.approve, { pending_id: id, note })),
  text: formatLines,
});

const reject = operationCommand({
  name: 'pending reject',
  summary: 'rejects a held mail: it is not sent, and its agent is told',
  operands: idOperand,
  options: { ...noteOption, yes: flag('do not ask') },
  question: ({ id }) => `Reject the held mail ${id}?`,
  call: (call, { id, note = null }) => call(reviewContract.reject, { pending_id: id, note }),
  text: formatLines,
});

export const pendingCommands = [list, show, approve, reject];
