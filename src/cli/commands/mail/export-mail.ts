/** `postroom mail export`: the mail of an agent into an mbox, or into a folder of .eml files. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallOperation } from '../../../app/operator-calls.ts';
import { createWorkUnderWay } from '../../../budget/work-under-way.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
import { mailTransferContract } from '../../../resources/mail-transfer/contract.ts';
import { command, flag, optional, requireChoice, required, withOperations } from '../../command.ts';
import { parseMoment } from '../../expiry.ts';
import { EXIT, wrongUsage } from '../../failure.ts';
import { createFolderWriter, createMboxWriter, type MailWriter } from './mail-writer.ts';
import { createProgress } from './progress.ts';
import { workAbout } from './work-about.ts';

const FORMATS = { mbox: createMboxWriter, eml: createFolderWriter };
type Format = keyof typeof FORMATS;

const detectFormat = (target: string, given: string | undefined): Format => {
  if (given !== undefined) return requireChoice(['mbox', 'eml'], given, `--format is mbox or eml, not ${given}.`);
  const isFolder = () => asCaller(() => statSync(target, { throwIfNoEntry: false })?.isDirectory());
  return target.endsWith('/') || isFolder() ? 'eml' : 'mbox';
};

const parseTime = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const at = parseMoment(text);
  if (at === null || at < 0) throw wrongUsage(`--${option} is a time: write 2026-01-31 or 2026-01-31T18:00:00Z.`);
  return at;
};

const parseDirection = (text: string | undefined): 'in' | 'out' | undefined =>
  text === undefined ? text : requireChoice(['in', 'out'], text, `--direction is in or out, not ${text}.`);

/** For received mail its stored return path; for other mail its author. */
const senderOf = (octets: Buffer, direction: 'in' | 'out', from: string): string => {
  if (direction === 'out') return from;
  return /^Return-Path:[ \t]*<([^>\r\n]*)>/i.exec(octets.toString('utf8', 0, 1_024))?.[1] ?? from;
};

interface Filter {
  agent: string;
  since?: number | undefined;
  until?: number | undefined;
  direction?: 'in' | 'out' | undefined;
  with?: string | undefined;
}

/** One mail is in memory at a time, and the compressed octets of a page. */
const writeAll = async (call: CallOperation, filter: Filter, writer: MailWriter, tell: (exported: number) => void) => {
  const { decompress } = await import('../../../workers/compression.ts');
  const unpack = (mime: Uint8Array): Buffer | null => {
    try {
      return decompress(mime);
    } catch {
      // Damaged: `postroom verify-data` names it, and the export continues.
      return null;
    }
  };
  const done = { agent: filter.agent, exported: 0, missing: 0 };
  let cursor: string | undefined;
  do {
    const page = await call(mailTransferContract.exportPage, { ...filter, cursor });
    for (const { id, direction, from, at, mime } of page.mails) {
      const octets = mime && unpack(mime);
      if (!octets) {
        done.missing += 1;
        continue;
      }
      await writer.add({ id, direction, at, octets, sender: senderOf(octets, direction, from) });
      done.exported += 1;
      tell(done.exported);
    }
    done.agent = page.agent;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return done;
};

export const exportMail = command({
  name: 'mail export',
  summary:
    'writes the mail of an agent into an mbox, or into a folder with a file (.eml) for each, while the daemon serves. ' +
    'Mail that is held, scheduled or was filtered is not in it',
  namesFiles: true,
  operands: {
    agent: required('AGENT', 'handle, address or id'),
    target: required('FILE|FOLDER', 'a new mbox; or a folder that is there, or a name that ends in /'),
  },
  options: {
    format: optional('mbox|eml', 'where the name does not say'),
    since: optional('TIME', 'only mail from then on: 2026-01-31 (UTC) or 2026-01-31T18:00:00Z'),
    until: optional('TIME', 'only mail before then'),
    direction: optional('in|out', 'only mail that was received, or sent'),
    with: optional('ADDRESS', 'only mail from or to this address, Cc and Bcc too'),
    force: flag('replaces the file, or the .eml files of the folder'),
  },
  notes: [
    'The mbox is that of RFC 4155, quoted as mboxrd; each mail has the octets that are stored, so that its signatures hold.',
    'Read marks, archive marks and threads are not in the file.',
    '',
    'Examples:',
    '  postroom mail export sales sales.mbox',
    '  postroom mail export sales sent-2026/ --direction out --since 2026-01-01 --until 2027-01-01',
  ].join('\n'),
  run: async ({ agent, target, format: given, since, until, direction, with: address, force }, context) => {
    const format = detectFormat(target, given);
    const filter = {
      since: parseTime('since', since),
      until: parseTime('until', until),
      direction: parseDirection(direction),
      with: address,
    };
    return withOperations(context, async (call, { config }) => {
      const underWay = createWorkUnderWay(systemClock, config.data_dir);
      const about = await workAbout(call, agent);
      const path = resolve(target);
      const writer = await FORMATS[format](path, force);
      const progress = createProgress(context.json);
      let done: Awaited<ReturnType<typeof writeAll>>;
      try {
        done = await underWay.run({ kind: 'export', ...about, total: null }, (advance) =>
          writeAll(call, { ...filter, agent }, writer, (exported) => {
            progress.tell(() => `${exported} mails`);
            advance(1);
          }),
        );
        await call(mailTransferContract.recordExport, { agent: done.agent, exported: done.exported });
      } catch (error) {
        await writer.discard();
        throw error;
      } finally {
        progress.end();
      }
      await writer.publish();
      const { agent: handle, exported, missing } = done;
      const lines = [`Mails written to ${path}: ${exported}.`];
      if (missing > 0)
        lines.push(
          `${missing} are not in it: their octets are not stored any more, or are damaged (\`postroom verify-data\`).`,
        );
      return {
        document: { agent: handle, file: path, format, exported, missing },
        text: () => lines.join('\n'),
        ...(missing > 0 && { exitCode: EXIT.refused }),
      };
    });
  },
});
