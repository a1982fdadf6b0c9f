import { BoundedMap } from '../../../kernel/bounded-map.ts';
import { type LoggedLine, readMailLog } from '../../../mail-log/mail-log-files.ts';
import { REASONS } from '../../../mail-log/reasons.ts';
import { command, required } from '../../command.ts';
import { loadConfig } from '../../config-file.ts';
import { refused } from '../../failure.ts';
import { printable } from '../../table.ts';

/** Lines of one trace; an address may match millions. */
const MAX_LINES = 5_000;
/** Ids followed at a time, the newest ones: a sender may have millions. */
const MAX_IDS = 4 * MAX_LINES;

const isId = (text: string): boolean => !text.includes('@');

const valuesOf = (line: LoggedLine): string[] =>
  Object.entries(line).flatMap(([key, value]) =>
    key === 'reply' || key === 'time' ? [] : Array.isArray(value) ? value.map(String) : [String(value)],
  );

/** The ids of a line, which connect it with others of the same mail. */
const idsOf = (line: LoggedLine): string[] =>
  ['message_id', 'delivery_id', 'pending_id'].flatMap((key) => {
    const value = (line as unknown as Record<string, unknown>)[key];
    return typeof value === 'string' ? [value] : [];
  });

const DETAILS = [
  'from',
  'to',
  'mailbox',
  'peer',
  'host',
  'attempt',
  'code',
  'next_attempt_at',
  'hold',
  'edited',
  'why',
] as const;

const formatLine = (line: LoggedLine): string => {
  const shown = line as unknown as Record<string, unknown>;
  const details = DETAILS.flatMap((key) =>
    shown[key] === undefined || shown[key] === null ? [] : [`${key}=${String(shown[key])}`],
  );
  const [what, todo] = REASONS[line.reason] ?? REASONS.other;
  return [
    printable(`${line.time}  ${line.mail.padEnd(10)} ${line.reason.padEnd(20)} ${details.join(' ')}`),
    ...(typeof shown.reply === 'string' ? [`    ${printable(shown.reply)}`] : []),
    ...(todo === null ? [] : [`    ${what} ${todo}`]),
  ].join('\n');
};

const trace = command({
  name: 'trace',
  summary: "one mail's whole way, or all that became of the mail of an address, from the mail log",
  operands: { mail: required('ID|ADDRESS', 'the id of a message, a delivery or a held mail, or an address') },
  run: async ({ mail }, { configFlag }) => {
    const { config } = loadConfig({ flag: configFlag });
    const { mailLogFolder } = await import('../../../app/observe/mail-log-part.ts');
    const folder = mailLogFolder(config);
    const asked = mail.toLowerCase();
    const ids = new BoundedMap<string, true>(MAX_IDS);
    const isAsked = (value: string): boolean => value.toLowerCase() === asked;
    // Also lines with the mail's other ids: a host's reply names the delivery, its queueing the message and the sender.
    // A recipient's mail has others' deliveries too, which its trace leaves out.
    const isWanted = (line: LoggedLine): boolean => {
      if (!valuesOf(line).some(isAsked) && !idsOf(line).some((id) => ids.has(id))) return false;
      if (isId(mail) || ('from' in line && isAsked(line.from ?? ''))) for (const id of idsOf(line)) ids.set(id, true);
      // Its decision names no recipient.
      else if (line.mail === 'held') ids.set(line.pending_id, true);
      return true;
    };
    const readLines = async (): Promise<LoggedLine[]> => {
      const lines: LoggedLine[] = [];
      for await (const line of readMailLog(folder, isWanted)) {
        lines.push(line);
        if (lines.length > MAX_LINES) lines.shift();
      }
      return lines;
    };
    const first = await readLines();
    // A decision has the id of the message. Lines of the message that stand before it take a second reading.
    const lines = first.some((line) => line.mail === 'decided') ? await readLines() : first;
    if (lines.length === 0) {
      const told = `The mail log has nothing of ${mail}. It keeps ${config.mail_log.keep_days} days: ${folder}`;
      const others = config.storage.url.engine === 'postgres' ? '. Another box has a log of its own.' : '';
      throw refused(`${told}${others}`);
    }
    return { document: { trace: lines }, text: () => lines.map(formatLine).join('\n') };
  },
});

export const traceCommands = [trace];
