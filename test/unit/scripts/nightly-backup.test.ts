/** The backups that the nightly run keeps, where some of them do not hold. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const SCRIPT = new URL('../../../scripts/install/nightly-backup', import.meta.url);

/** A program in the place of `postroom`: a backup is a file, and holds where `sound` stands beside it. */
const CLI = `#!/bin/sh
case $1 in
  backup) echo backup > "$2" ;;
  restore) test -e "$(dirname "$2")/sound" ;;
esac
`;

t.test('backups that do not hold neither fill the disk nor take the place of those that do', async (t) => {
  const folder = t.testdir({ cli: CLI });
  const good = Array.from({ length: 7 }, (_, day) => `nightly-2026010${day + 1}T033000Z.zst`);
  for (const name of good) writeFileSync(join(folder, name), '');
  const script = readFileSync(SCRIPT, 'utf8').replace(/^cli=.*$/m, `cli() { sh "${folder}/cli" "$@"; }`);
  const run = () =>
    execFileSync('bash', ['-c', script.replaceAll('"$cli"', 'cli')], {
      env: { ...process.env, FOLDER: folder },
      stdio: 'ignore',
    });
  const kept = () => readdirSync(folder).filter((name) => name.endsWith('.zst'));
  for (const _ of ['first', 'second']) {
    t.throws(run);
    t.same(kept(), ['does-not-hold.zst', ...good]);
  }
  writeFileSync(join(folder, 'sound'), '');
  run();
  t.same(kept().slice(0, -1), ['does-not-hold.zst', ...good.slice(1)]);
  t.match(kept().at(-1), /^nightly-(?!202601)/);
});
