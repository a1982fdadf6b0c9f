/** `postroom pending`: held mail, and a person's decision about it. No API key can decide. */

import type { CallOperation } from '../../app/operator-calls.ts';
import { type HeldMailView, reviewContract } from '../../resources/held-mail/review/contract.ts';
import { type Answer, type Context, command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { refused } from '../failure.ts';
import { flag, optional, required } from '../parameters.ts';
import { details, printable, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const idOperand = { id: required('ID', 'as `postroom pending list` shows it') };
const noteOption = { note: optional('TEXT', 'the agent reads it as the reason') };

const attachmentLines = ({ attachments }: HeldMailView): string[] =>
  attachments.map(({ filename, contentType, size }) => `${filename} (${contentType}, ${size} bytes)`);

/** What the leak guard found, by name and never by value. */
const formatHeld = ({ reason, secrets }: HeldMailView): string | null => {
  if (reason === 'secrets_not_checked') return "not searched, as the vault's key was missing: no names are known";
  if (reason === 'holds_a_secret' && secrets.length === 0) return 'a secret whose name was not kept';
  if (secrets.length === 0) return null;
  return secrets.map(({ name, where }) => `${name} in ${where.join(', ')}`).join('; ');
};

const formatLines = ({ secrets, ...shown }: HeldMailView): string => {
  const holds = formatHeld({ ...shown, secrets });
  const rows = { ...shown, attachments: attachmentLines({ ...shown, secrets }), ...(holds !== null && { holds }) };
  return details(Object.entries(rows).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
};

const formatReason = ({ reason, secrets }: HeldMailView): string =>
  secrets.length === 0 ? reason : `${reason}: ${secrets.map(({ name }) => name).join(', ')}`;

const fieldLines = (headers: readonly { name: string; value: string }[]): string =>
  ['Its header, as recipients get it:', ...headers.map(({ name, value }) => printable(`${name}: ${value}`))].join('\n');

const block = (text: string): string => text.split(/\r?\n/).map(printable).join('\n');

const list = command({
  name: 'pending list',
  summary: 'lists mail that waits for a decision, newest first, up to 1000',
  operands: {},
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const found = await call(reviewContract.list, { workspace });
      // `id` as in the other lists.
      const document = { pending: found.pending.map((each) => ({ id: each.pending_id, ...each })) };
      const cells = document.pending.map((each) => [
        each.pending_id,
        each.agent,
        [...each.to, ...each.cc, ...each.bcc].join(', '),
        each.subject,
        attachmentLines(each).join(', '),
        formatReason(each),
      ]);
      return {
        document,
        text: () => table(['ID', 'AGENT', 'RECIPIENTS', 'SUBJECT', 'ATTACHMENTS', 'WHY'], cells, 'Nothing waits.'),
      };
    }),
});

const show = command({
  name: 'pending show',
  summary: 'shows a held mail with its text, and with that of its HTML part where it differs',
  operands: idOperand,
  options: {},
  run: ({ id }, context) =>
    withOperations(context, async (call) => {
      const document = await call(reviewContract.get, { pending_id: id });
      const { headers, text, html_text: htmlText, ...shown } = document;
      const body = text === null ? 'Its text is no longer kept here.' : block(text);
      const differing =
        htmlText === null ? [] : ['Its HTML part, which most mail programs show, reads differently:', block(htmlText)];
      return { document, text: () => [formatLines(shown), fieldLines(headers), body, ...differing].join('\n\n') };
    }),
});

/** Decides as the person at the terminal; what is released leaves within seconds, where the daemon runs. */
const decide = (context: Context, work: (call: CallOperation) => Promise<HeldMailView>): Promise<Answer> =>
  withOperations(context, async (call) => {
    const document = await work(call);
    if (document.failure_reason !== null) {
      throw refused(`It was approved, and not sent: ${document.failure_reason}. The agent reads this reason as well.`);
    }
    return { document, text: () => formatLines(document) };
  });

const approve = command({
  name: 'pending approve',
  summary: 'releases a held mail; it passes the gate again, and a mail that the gate refuses is an error',
  operands: idOperand,
  options: { ...noteOption, yes: flag('as for other commands; it asks nothing') },
  run: ({ id, note = null }, context) =>
    decide(context, (call) => call(reviewContract.approve, { pending_id: id, note })),
});

const reject = command({
  name: 'pending reject',
  summary: 'discards a held mail',
  operands: idOperand,
  options: { ...noteOption, yes: flag('do not ask') },
  run: async ({ id, note = null, yes }, context) => {
    await confirm(`Discard the held mail ${id}?`, yes);
    return decide(context, (call) => call(reviewContract.reject, { pending_id: id, note }));
  },
});

export const pendingCommands = [list, show, approve, reject];
