/** `postroom contacts` */

import { open, readFile, rm, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { CallOperation } from '../../app/operator-calls.ts';
import { workspaceExchangeContract } from '../../resources/contacts/exchange/contract.ts';
import { MAX_PERSONS_FILE } from '../../resources/contacts/limits-contract.ts';
import { type Answer, command } from '../command.ts';
import { refused, wrongUsage } from '../failure.ts';
import { optional, required } from '../parameters.ts';
import { table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const ofWorkspace = { workspace: required('W', 'name, slug or id') };
const formatOption = { format: optional('F', 'vcard or csv, where the name of the file does not say') };

type Format = 'vcard' | 'csv';

/** Stands for stdin and stdout. */
const STANDARD = '-';

const EXTENSIONS: Readonly<Record<string, Format>> = {
  vcf: 'vcard',
  vcard: 'vcard',
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
};

const detectFormat = (file: string, given: string | undefined): Format | null => {
  if (given === undefined) return EXTENSIONS[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''] ?? null;
  if (given === 'vcard' || given === 'csv') return given;
  throw wrongUsage(`--format is vcard or csv, not ${given}.`);
};

const cannotTell = (file: string) =>
  wrongUsage(`${file} ends neither in .vcf nor in .csv. Say which it is by --format vcard or --format csv.`);

const tooLarge = () => refused(`A file is at most ${MAX_PERSONS_FILE / 1024 / 1024} MiB. Import it in parts.`);

const readInput = async (file: string): Promise<Buffer> => {
  if (file !== STANDARD && (await stat(file)).size > MAX_PERSONS_FILE) throw tooLarge();
  const octets = file === STANDARD ? await buffer(process.stdin) : await readFile(file);
  if (octets.length > MAX_PERSONS_FILE) throw tooLarge();
  return octets;
};

type RefusedRow = readonly [place: number, reason: string, field: string | null];

const refusedRows = (head: string, rows: readonly RefusedRow[]): string =>
  rows.length === 0 ? '' : `\n\n${table([head, 'REASON', 'FIELD'], rows, '')}`;

const importCsv = async (call: CallOperation, workspace: string, csv: Buffer, list: string | undefined) => {
  const document = await call(workspaceExchangeContract.importCsv, { workspace, csv, list_name: list });
  const { created, matched_existing: matched, added_to_list: added, columns_understood: columns } = document;
  const rows = [
    ...document.skipped.map(({ row, reason }): RefusedRow => [row, reason, null]),
    ...document.failed.map(({ row, reason, field }): RefusedRow => [row, reason, field]),
  ];
  const counts = `${created} created, ${matched} known already${list === undefined ? '' : `, ${added} added to the list`}.`;
  return { document, text: () => `${counts} Columns: ${columns.join(', ') || 'none'}.${refusedRows('ROW', rows)}` };
};

const importVCards = async (call: CallOperation, workspace: string, vcard: Buffer) => {
  const document = await call(workspaceExchangeContract.importVCards, { workspace, vcard });
  const rows = document.failed.map(({ index, reason, field }): RefusedRow => [index, reason, field]);
  return { document, text: () => `${document.created} created.${refusedRows('CARD', rows)}` };
};

const importFile = command({
  name: 'contacts import',
  summary: 'adds the contacts of a file to the address book of a workspace',
  operands: { file: required('FILE', 'vCards (.vcf) or CSV (.csv); - reads stdin') },
  options: { ...ofWorkspace, ...formatOption, list: optional('NAME', 'puts those of a CSV file on this list as well') },
  run: async ({ file, workspace, format, list }, context) => {
    const named = detectFormat(file, format);
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

/** Every page of the book. @returns how many contacts it has */
const writeBook = async (
  call: CallOperation,
  workspace: string,
  format: Format,
  write: (text: string) => Promise<unknown>,
): Promise<number> => {
  let contacts = 0;
  let cursor: string | undefined;
  do {
    const page = await call(workspaceExchangeContract.export, { workspace, format, cursor });
    await write(page.text);
    contacts += page.contacts;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return contacts;
};

const toStdout = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** A file of its own, readable by its owner alone; an export that fails leaves none. */
const toFile = async (file: string, write: (append: (text: string) => Promise<unknown>) => Promise<number>) => {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? refused(`${file} exists. Name another file, or move it away.`) : error;
  });
  try {
    return await write((text) => handle.appendFile(text));
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
};

const exportFile = command({
  name: 'contacts export',
  summary: 'writes the address book of a workspace into a file',
  operands: { file: required('FILE', '.vcf for vCards, .csv for spreadsheets; - writes vCards to stdout') },
  options: { ...ofWorkspace, ...formatOption },
  run: async ({ file, workspace, format: given }, context) => {
    const format = detectFormat(file, given) ?? (file === STANDARD ? 'vcard' : null);
    if (format === null) throw cannotTell(file);
    if (file === STANDARD && context.json) throw wrongUsage('Contacts on stdout and --json exclude each other.');
    return withOperations(context, async (call) => {
      if (file === STANDARD) {
        await writeBook(call, workspace, format, toStdout);
        return null;
      }
      const contacts = await toFile(file, (append) => writeBook(call, workspace, format, append));
      return { document: { file, format, contacts }, text: () => `${contacts} contacts written to ${file}.` };
    });
  },
});

export const contactCommands = [importFile, exportFile];
