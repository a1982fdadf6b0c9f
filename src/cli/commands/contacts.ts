import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { CallOperation } from '../../app/operator-calls.ts';
import { createWorkUnderWay } from '../../budget/work-under-way.ts';
import { systemClock } from '../../kernel/clock.ts';
import { asCaller } from '../../kernel/files/caller-rights.ts';
import type { WorkspaceId } from '../../kernel/ids.ts';
import { codeOf } from '../../kernel/text/message-of.ts';
import { contactExchangeContract, contactImportContract } from '../../resources/contacts/exchange/contract.ts';
import { MAX_PERSONS_FILE } from '../../resources/contacts/limits-contract.ts';
import { workspacesContract } from '../../resources/workspaces/contract.ts';
import { type Answer, command, optional, requireChoice, required, withOperations } from '../command.ts';
import { EXIT, refused, wrongUsage } from '../failure.ts';
import { table } from '../table.ts';

const ofWorkspace = { workspace: required('W', 'name, slug or id') };
const formatOption = { format: optional('vcard|csv', 'where the name of the file does not say') };

type Format = 'vcard' | 'csv';

/** Stands for stdin and stdout. */
const STANDARD = '-';

type Extensions = Readonly<Record<string, Format>>;
const WRITTEN: Extensions = { vcf: 'vcard', vcard: 'vcard', csv: 'csv' };
const READ: Extensions = { ...WRITTEN, tsv: 'csv', txt: 'csv' };

const detectFormat = (file: string, given: string | undefined, extensions: Extensions): Format | null => {
  if (given === undefined) return extensions[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''] ?? null;
  return requireChoice(['vcard', 'csv'], given, `--format is vcard or csv, not ${given}.`);
};

const cannotTell = (file: string) =>
  wrongUsage(`${file} ends neither in .vcf nor in .csv. Say which it is by --format vcard or --format csv.`);

const tooLarge = () => refused(`A file is at most ${MAX_PERSONS_FILE / 1024 / 1024} MiB. Import it in parts.`);

/** The system's errors that a wrong name or permission causes; any other stays as it is. */
const toFileError = (file: string, error: unknown): unknown => {
  switch (codeOf(error)) {
    case 'ENOENT':
      return refused(`There is no file ${file}.`);
    case 'EISDIR':
      return refused(`${file} is a folder. Name a file.`);
    case 'EACCES':
      return refused(`${file} may not be read by you.`);
    default:
      return error;
  }
};

const readInput = async (file: string): Promise<Buffer> => {
  const read = async (): Promise<Buffer> => {
    if (file === STANDARD) return buffer(process.stdin);
    return asCaller(() => {
      if (statSync(file).size > MAX_PERSONS_FILE) throw tooLarge();
      return readFileSync(file);
    });
  };
  const octets = await read().catch((error) => {
    throw toFileError(file, error);
  });
  if (octets.length > MAX_PERSONS_FILE) throw tooLarge();
  return octets;
};

interface RefusedRow {
  place: number;
  reason: string;
  field: string | null;
}

const refusedRows = (head: string, rows: readonly RefusedRow[]): string =>
  rows.length === 0 ? '' : `\n\n${table([[head, 'place'], 'reason', 'field'], rows, '')}`;

/** `3 no_email, 1 too_long`. */
const countReasons = (rows: readonly RefusedRow[]): string =>
  [...Map.groupBy(rows, ({ reason }) => reason)].map(([reason, of]) => `${of.length} ${reason}`).join(', ');

const nothingImported = (rows: readonly RefusedRow[]): string =>
  `Nothing was imported: ${countReasons(rows) || 'the file has no rows'}.`;

const importCsv = async (call: CallOperation, workspace: string, csv: Buffer, list: string | undefined) => {
  const document = await call(contactImportContract.import, { workspace, csv, list_name: list });
  const { created, matched_existing: matched, added_to_list: added, columns_understood: columns } = document;
  const rows = [
    ...document.skipped.map(({ row, reason }): RefusedRow => ({ place: row, reason, field: null })),
    ...document.failed.map(({ row, reason, field }): RefusedRow => ({ place: row, reason, field })),
  ];
  const isEmpty = created + matched === 0;
  const counts = `${created} created, ${matched} known already${list === undefined ? '' : `, ${added} added to the list`}.`;
  return {
    document,
    text: () =>
      [isEmpty ? nothingImported(rows) : counts, `Columns: ${columns.join(', ') || 'none'}.`].join(' ') +
      refusedRows('ROW', rows),
    ...(isEmpty && { exitCode: EXIT.refused }),
  };
};

const importVCards = async (call: CallOperation, workspace: string, vcard: Buffer) => {
  const document = await call(contactExchangeContract.importVCards, { workspace, vcard });
  const known = document.failed.filter(({ reason }) => reason === 'exists').length;
  const rows = document.failed
    .filter(({ reason }) => reason !== 'exists')
    .map(({ index, reason, field }): RefusedRow => ({ place: index, reason, field }));
  const counts = `${document.created} created, ${known} known already.`;
  return { document, text: () => counts + refusedRows('CARD', rows) };
};

const importFile = command({
  name: 'contacts import',
  summary:
    'adds the contacts of a file to the address book of a workspace. A row of CSV needs an e-mail address, and a contact ' +
    'that has it already is not changed. Of vCards, those that were exported here are known; all others are added as new ' +
    'contacts, and list_duplicates finds those that were there',
  namesFiles: true,
  operands: { file: required('FILE', 'vCards (.vcf) or CSV (.csv); - reads stdin') },
  options: { ...ofWorkspace, ...formatOption, list: optional('NAME', 'puts those of a CSV file on this list as well') },
  run: async ({ file, workspace, format, list }, context) => {
    const named = detectFormat(file, format, READ);
    if (named === null && file !== STANDARD) throw cannotTell(file);
    const octets = await readInput(file);
    const isVCard =
      named === null ? /^\ufeff?\s*begin:vcard/i.test(octets.toString('utf8', 0, 100)) : named === 'vcard';
    if (isVCard && list !== undefined) throw wrongUsage('--list goes with CSV alone.');
    return withOperations<Answer>(context, (call) =>
      isVCard ? importVCards(call, workspace, octets) : importCsv(call, workspace, octets, list),
    );
  },
});

/** Writes every page of the contacts. @returns the number of contacts */
const writeBook = async (
  call: CallOperation,
  workspace: string,
  format: Format,
  write: (text: string) => Promise<unknown>,
  advance: (by: number) => void,
): Promise<number> => {
  let contacts = 0;
  let cursor: string | undefined;
  do {
    const page = await call(contactExchangeContract.export, { workspace, format, cursor });
    await write(page.text);
    contacts += page.contacts;
    advance(page.contacts);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return contacts;
};

const toStdout = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

const toNewFileError = (file: string, error: unknown): unknown => {
  switch (codeOf(error)) {
    case 'EEXIST':
      return refused(`${file} exists. Name another file, or move it away.`);
    case 'ENOENT':
      return refused(`There is no folder ${dirname(file)}. Make it, or name another.`);
    default:
      return error;
  }
};

/** Writes a new file, readable by its owner only; a failed export leaves none. */
const toFile = async (file: string, write: (append: (text: string) => Promise<unknown>) => Promise<number>) => {
  const opened = asCaller(() => {
    try {
      return openSync(file, 'wx', 0o600);
    } catch (error) {
      throw toNewFileError(file, error);
    }
  });
  try {
    return await write(async (text) => writeFileSync(opened, text));
  } catch (error) {
    asCaller(() => rmSync(file, { force: true }));
    throw error;
  } finally {
    closeSync(opened);
  }
};

const exportFile = command({
  name: 'contacts export',
  summary: 'writes the address book of a workspace into a file',
  namesFiles: true,
  operands: { file: required('FILE', '.vcf for vCards, .csv for spreadsheets; - writes vCards to stdout') },
  options: { ...ofWorkspace, ...formatOption },
  run: async ({ file, workspace, format: given }, context) => {
    const format = detectFormat(file, given, WRITTEN) ?? (file === STANDARD ? 'vcard' : null);
    if (format === null) throw cannotTell(file);
    if (file === STANDARD && context.json) throw wrongUsage('Contacts on stdout and --json exclude each other.');
    return withOperations(context, async (call, { config }) => {
      const { id: workspaceId } = await call(workspacesContract.get, { workspace });
      const underWay = createWorkUnderWay(systemClock, config.data_dir);
      const write = (append: (text: string) => Promise<unknown>) =>
        underWay.run(
          { kind: 'export', workspaceId: workspaceId as WorkspaceId, name: 'contacts', total: null },
          (advance) => writeBook(call, workspace, format, append, advance),
        );
      if (file === STANDARD) {
        await write(toStdout);
        return null;
      }
      const contacts = await toFile(file, write);
      return { document: { file, format, contacts }, text: () => `${contacts} contacts written to ${file}.` };
    });
  },
});

export const contactCommands = [importFile, exportFile];
