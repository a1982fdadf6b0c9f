/**
 * What the data file and the words' index keep: octets by table, and in all. Of prose, a text of its own in each mail, as no two
 * are alike; and of the mails of public collections.
 */

import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { MAIL_FOLDERS, messageFiles, missingCorpora } from '../../../test/corpus/corpora.ts';
import { forTheWire, MailFeeder } from '../../../test/corpus/mail-feeder.ts';
import { withAuthor } from '../../../test/corpus/with-author.ts';
import type { TestInstance } from '../../../test/harness/instance.ts';
import { startProcessBox } from '../../../test/harness/process.ts';
import { sendMail } from '../../../test/harness/smtp/send-mail.ts';
import type { Bench, Figure, Table } from '../bench.ts';
import { createSender, SENDER } from '../sender.ts';
import { threeDigits } from '../table.ts';

/** Of a mail's text; with its header the mail has 4.4 kB. */
const TEXT_BYTES = 4_200;
const OCTETS_OF_MAIL = 4_400;
/** Tables and indexes that are shown by name; the others are shown together. */
const SHOWN = 8;

/** The last mails wait a second for their batch. */
const INDEXED_AFTER_MS = 4_000;

/** Of a thousand words of a mail, those that no other mail has: names, numbers of things. */
const OWN_WORDS = 10;

/** The words of the project's own pages, as often as they stand there. */
const readWords = (): string[] => {
  const folder = resolve(import.meta.dirname, '../../../src/docs');
  const text = globSync('**/*.md', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
  return text.join(' ').match(/\p{L}+[,.]?/gu) ?? [];
};

/** Prose of one mail, by its number the same in every run. */
const proseOf = (words: readonly string[], mail: number): string => {
  let state = mail;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  let text = '';
  let line = '';
  while (text.length + line.length < TEXT_BYTES) {
    const own = below(1_000) < OWN_WORDS ? `ref${mail}x${below(1_000)} ` : '';
    line += `${own}${words[below(words.length)]} `;
    if (line.length < 70) continue;
    text += `${line.trimEnd()}\n`;
    line = '';
  }
  return text;
};

interface Usage {
  name: string;
  bytes: number;
}

/** Octets by table, each with its indexes, and of the file. */
const measure = (file: string): { tables: Usage[]; whole: number } => {
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const tables = database
    .prepare<[], Usage>(
      `select s.tbl_name as name, sum(d.pgsize) as bytes from dbstat d join sqlite_schema s on s.name = d.name
       where d.aggregate = 1 group by 1 order by 2 desc`,
    )
    .all();
  database.close();
  return { tables, whole: statSync(file).size };
};

/** Mails that a bench hands in, and their octets by SMTP. */
type Deliver = (
  instance: Pick<TestInstance, 'smtpPort' | 'agents'>,
  signal: AbortSignal,
) => Promise<{ mails: number; octets: number }>;

interface Kept {
  mails: number;
  /** Octets of both files for a mail. */
  perMail: number;
  /** Octets of both files for one received. */
  ratio: number;
  /** Octets for a mail, the largest first. */
  tables: Usage[];
}

const measureKept = async (deliver: Deliver, signal: AbortSignal): Promise<Kept> => {
  await using box = await startProcessBox();
  const { instance } = box;
  await createSender(instance.dns.zone);
  const file = join(instance.directory, 'data', 'postroom.db');
  const empty = measure(file);
  const { mails, octets } = await deliver(instance, signal);
  // The index is made after the mail is answered.
  await sleep(INDEXED_AFTER_MS, undefined, { signal });
  await box.daemon.end('SIGTERM');
  const ofIndex = measure(`${file}-words`);
  const ofData = measure(file);
  const before = new Map(empty.tables.map(({ name, bytes }) => [name, bytes]));
  const tables = [...ofData.tables, ...ofIndex.tables].map(({ name, bytes }) => ({
    name,
    bytes: Math.round((bytes - (before.get(name) ?? 0)) / mails),
  }));
  const whole = ofData.whole + ofIndex.whole - empty.whole;
  return {
    mails,
    perMail: Math.round(whole / mails),
    ratio: threeDigits(whole / octets),
    tables: tables.toSorted((a, b) => b.bytes - a.bytes),
  };
};

const deliverProse =
  (count: number, sessions: number): Deliver =>
  async ({ smtpPort, agents }, signal) => {
    const words = readWords();
    let mails = 0;
    const session = async (): Promise<void> => {
      while (mails < count && !signal.aborted) {
        mails += 1;
        const mail = { from: SENDER, to: [agents.ann.address], headers: { Subject: `About ${mails}` } };
        await sendMail(smtpPort, { ...mail, text: proseOf(words, mails) });
      }
    };
    await Promise.all(Array.from({ length: Math.min(sessions, count) }, session));
    return { mails, octets: mails * OCTETS_OF_MAIL };
  };

/** Each mail of the public collections once, those that are taken; one without a From of its own gets one. */
const deliverCorpora: Deliver = async ({ smtpPort, agents }, signal) => {
  await using feeder = await MailFeeder.connect(smtpPort);
  let mails = 0;
  let octets = 0;
  for (const path of (await Promise.all(MAIL_FOLDERS.map(messageFiles))).flat()) {
    signal.throwIfAborted();
    const raw = withAuthor(readFileSync(path));
    if (!/^250 2\./.test(await feeder.deliver(raw, agents.ann.address))) continue;
    mails += 1;
    octets += forTheWire(raw).length;
  }
  return { mails, octets };
};

const tableOf = (title: string, { perMail, tables }: Kept): Table => {
  const shown = tables.slice(0, SHOWN);
  const others = perMail - shown.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = [...shown.map(({ name, bytes }) => [name, bytes]), ['others', others], ['both files', perMail]];
  return { title, columns: ['table', 'octets a mail'], rows };
};

const run: Bench['run'] = async ({ messages, sessions }, signal, say) => {
  const prose = await measureKept(deliverProse(messages, sessions), signal);
  say(`${prose.perMail} octets a mail`);
  const corpora = missingCorpora === false ? await measureKept(deliverCorpora, signal) : null;
  if (missingCorpora !== false) say(missingCorpora);
  const figure = ({ ratio }: Kept): Figure => ({ value: ratio, goal: 1.5, isLessBetter: true });
  return {
    tables: [
      tableOf(`What ${prose.mails} plain mails of 4.4 kB keep`, prose),
      ...(corpora ? [tableOf(`What ${corpora.mails} mails of public collections keep`, corpora)] : []),
    ],
    document: { prose, corpora },
    figures: {
      'bytes kept for a byte received, prose': figure(prose),
      ...(corpora ? { 'bytes kept for a byte received, corpora': figure(corpora) } : {}),
    },
  };
};

export const keptBytes: Bench = { name: 'kept-bytes', summary: 'what the data keeps of a mail', run };
