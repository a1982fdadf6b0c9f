import { statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openConnection } from '../../../../src/store/sqlite/open-database.ts';

const MIB = 1024 * 1024;

t.test('the log of writes shrinks again after a long read', async (t) => {
  const file = join(t.testdir(), 'postroom.db');
  const writer = openConnection(file, 'write');
  const reader = openConnection(file, 'read');
  t.teardown(() => {
    reader.close();
    writer.close();
  });
  writer.exec('create table texts (text blob)');
  const write = (octets: number) => void writer.prepare('insert into texts values (zeroblob(?))').run(octets);
  const sizeOfLog = () => statSync(`${file}-wal`).size;
  reader.exec('begin');
  reader.prepare('select count(*) from texts').get();
  for (let written = 0; written < 50; written += 10) write(10 * MIB);
  t.ok(sizeOfLog() > 50 * MIB, 'what the reader may still want stays');
  reader.exec('commit');
  for (let writes = 0; writes < 3; writes += 1) write(1);
  t.ok(sizeOfLog() <= 32 * MIB);
});
