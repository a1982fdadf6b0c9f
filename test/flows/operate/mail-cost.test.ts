/** What 500 mails cost: statements and bytes, which no other work on the machine changes. Raised knowingly, in kept.json. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import t from 'tap';
import { BODY_BYTES, createSender, SENDER } from '../../../scripts/bench/sender.ts';
import { sendLoad } from '../../../scripts/bench/smtp-source.ts';
import { cliJson } from '../../harness/cli.ts';
import { startInstance } from '../../harness/instance.ts';
import { dataFileOf, ofSqlite } from '../../harness/postgres/test-location.ts';

const ofFile = ofSqlite(t, 'statements and octets are counted in the file');

const MAILS = 500;
/** Others come with the seconds that pass: counters of minutes, the queue's look-ups. */
const STATEMENT_SLACK = 0.02;
const BYTES_SLACK = 0.02;

interface Kept {
  inbound500: { statements: number; bytes: number };
}
const kept = JSON.parse(readFileSync(join(import.meta.dirname, '../../../scripts/bench/kept.json'), 'utf8')) as Kept;

/** Octets of a closed or checkpointed database. */
const octetsOf = (file: string): number => {
  const database = new Database(file);
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
    return statSync(file).size;
  } finally {
    database.close();
  }
};

ofFile(`${MAILS} mails take no more statements and bytes than before`, async (t) => {
  const counted = new Map<string, number>();
  const onQuery = ({ sql }: { sql: string }) => counted.set(sql, (counted.get(sql) ?? 0) + 1);
  await using instance = await startInstance({ runtime: { store: { onQuery } } });
  const to = instance.agents.ann.address;
  const sender = await createSender(instance.dns.zone);
  const file = dataFileOf(instance.config);
  const before = octetsOf(file);
  const mails = await sender.write(MAILS, to, 'counted', false);
  counted.clear();
  const load = { ports: [instance.smtpPort], from: SENDER, to, sessions: 4, keptConnections: true };
  await sendLoad({ ...load, mails }, AbortSignal.timeout(60_000));
  const statements = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const position = () => {
    const index = new Database(`${file}-words`, { readonly: true });
    try {
      return Number(index.prepare('select position from state').pluck().get());
    } finally {
      index.close();
    }
  };
  const end = Date.now() + 30_000;
  for (let at = 0; at < MAILS; at = statSync(`${file}-words`, { throwIfNoEntry: false }) ? position() : 0) {
    if (Date.now() > end) throw new Error('The words are not indexed.');
    await sleep(100);
  }
  await instance.daemon.stop();
  // Else the index has the sizes of the batches that the load happened to make.
  await cliJson(instance.configPath, 'compact');
  const bytes = octetsOf(file) - before + octetsOf(`${file}-words`);
  t.comment(`${statements} statements, ${bytes} bytes for ${MAILS} mails of ${BODY_BYTES} bytes`);
  for (const [sql, count] of [...counted].sort(([, one], [, other]) => other - one).slice(0, 30)) {
    t.comment(`${count}  ${sql.replaceAll(/\s+/g, ' ').slice(0, 110)}`);
  }
  const { inbound500: most } = kept;
  t.ok(statements > MAILS, 'and some');
  t.ok(statements <= most.statements * (1 + STATEMENT_SLACK), `${statements} statements, ${most.statements} kept`);
  t.ok(bytes <= most.bytes * (1 + BYTES_SLACK), `${bytes} bytes, ${most.bytes} kept`);
});
