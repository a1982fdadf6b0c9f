/** What the data file and the words' index keep of a plain mail: octets by table, and in all. Each mail has its own prose, as no two are alike. */

import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { startProcessBox } from '../../../test/harness/process.ts';
import { sendMail } from '../../../test/harness/smtp/send-mail.ts';
import type { Bench } from '../bench.ts';
import { createSender, SENDER } from '../sender.ts';

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

const run: Bench['run'] = async ({ messages, sessions }, signal, say) => {
  await using box = await startProcessBox();
  const { instance } = box;
  await createSender(instance.dns.zone);
  const file = join(instance.directory, 'data', 'postroom.db');
  const empty = measure(file);
  const { address } = instance.agents.ann;
  const words = readWords();
  let sent = 0;
  const session = async (): Promise<void> => {
    while (sent < messages && !signal.aborted) {
      sent += 1;
      const text = proseOf(words, sent);
      await sendMail(instance.smtpPort, { from: SENDER, to: [address], headers: { Subject: `About ${sent}` }, text });
    }
  };
  await Promise.all(Array.from({ length: Math.min(sessions, messages) }, session));
  // The index is made after the mail is answered.
  await sleep(INDEXED_AFTER_MS, undefined, { signal });
  await box.daemon.end('SIGTERM');
  const ofIndex = measure(`${file}-words`);
  const ofData = measure(file);
  const full = { tables: [...ofData.tables, ...ofIndex.tables], whole: ofData.whole + ofIndex.whole };
  const before = new Map(empty.tables.map(({ name, bytes }) => [name, bytes]));
  const perMail = full.tables.map(({ name, bytes }) => ({
    name,
    bytes: Math.round((bytes - (before.get(name) ?? 0)) / messages),
  }));
  const whole = Math.round((full.whole - empty.whole) / messages);
  say(`${whole} octets a mail`);
  const shown = perMail.toSorted((a, b) => b.bytes - a.bytes).slice(0, SHOWN);
  const others = whole - shown.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = [...shown.map(({ name, bytes }) => [name, bytes]), ['others', others], ['both files', whole]];
  return {
    tables: [{ title: `What ${messages} plain mails of 4.4 kB keep`, columns: ['table', 'octets a mail'], rows }],
    document: { mails: messages, octetsOfMail: whole, tables: shown },
    figures: {
      'bytes kept for a byte received': {
        value: Math.round((whole / OCTETS_OF_MAIL) * 100) / 100,
        goal: 1.5,
        isLessBetter: true,
      },
    },
  };
};

export const keptBytes: Bench = { name: 'kept-bytes', summary: 'what the data keeps of a mail of 4.4 kB', run };
