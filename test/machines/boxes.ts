/**
 * Inside of test/harness/machine/world: two machines on one PostgreSQL. The second joins; the one that leads is cut off,
 * the other is killed, boxes hand over, and are upgraded one after the other.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { HOSTNAME, NAMES, serverOn } from '../harness/machine/installed.ts';
import { bootMachine, INTERNET, type Machine } from '../harness/machine/machine.ts';
import { makeVersion, withMigration } from '../harness/machine/versions.ts';
import { startDns } from '../harness/net/dns.ts';
import { startPostgres } from '../harness/postgres/postgres-server.ts';
import { startReceiver } from '../harness/smtp/mail-receiver.ts';
import { eventually, sendMail } from '../harness/smtp/send-mail.ts';

const [root = '', tarball = ''] = process.argv.slice(2);
const CONFIG = '/etc/postroom/postroom.toml';
const KEY = '/etc/postroom/vault.key';
const URL = `postgres://postgres@${INTERNET.ipv4}/postgres`;
const TAKEN_OVER_WITHIN_MS = 60_000;
/** Of a hand-over that is asked for. */
const REFUSED_FOR_MS = 5_000;
/** A sender goes on to the other host after it. */
const PATIENCE_MS = 6_000;
const PAUSE_MS = 50;
/** Between two mails of a lane: more than 600 a minute from one address are refused ([smtp.limits]). */
const NEXT_MS = 350;

t.setTimeout(600_000);
await using first = await bootMachine(root, 'first');
await using second = await bootMachine(root, 'second');
await using dns = await startDns(
  {
    [HOSTNAME]: { A: [first.ipv4, second.ipv4] },
    'remote.test': { MX: [{ exchange: 'mx.remote.test', priority: 1 }] },
    'mx.remote.test': { A: [INTERNET.ipv4] },
  },
  { host: INTERNET.ipv4, port: 53 },
);
void dns;
await using receiver = await startReceiver({ listen: { host: INTERNET.ipv4, port: 25 } });
await using database = await startPostgres({ host: INTERNET.ipv4, clients: '198.51.100.0/24' });
void database;

const statusOf = async ({ run }: Machine): Promise<string> =>
  (await run(['systemctl', 'show', '-p', 'StatusText', '--value', 'postroom'])).stdout.trim();
const setLink = (machine: Machine, state: 'up' | 'down') => execFileSync('ip', ['link', 'set', machine.name, state]);

/** Hands mail in all the time, as a mail server does: where one host does not take it, the other one is tried. */
const mailIn = (address: string) => {
  const acknowledged: string[] = [];
  let [isOver, lastAt, longest] = [false, performance.now(), 0];
  const lane = async (name: number): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const subject = `Mail ${name}-${count}`;
      for (let at = 0; !isOver; at += 1) {
        const host = [first.ipv4, second.ipv4][at % 2] ?? '';
        const mail = sendMail(25, { host, to: [address], headers: { Subject: subject, To: address } });
        const late = new Promise<never>((_, fail) => setTimeout(fail, PATIENCE_MS, new Error('late')).unref());
        const beganAt = performance.now();
        const isTaken = await Promise.race([mail, late]).then(
          () => true,
          () => false,
        );
        if (isTaken) {
          acknowledged.push(subject);
          longest = Math.max(longest, beganAt - lastAt);
          lastAt = performance.now();
          await sleep(NEXT_MS);
          break;
        }
        await sleep(PAUSE_MS);
      }
    }
  };
  const lanes = Array.from({ length: 3 }, (_, name) => lane(name));
  return {
    acknowledged,
    /** How long all were refused, at most, while `work` was under way and until some more were taken. */
    longestRefusal: async (work: () => Promise<unknown>): Promise<number> => {
      longest = 0;
      await work();
      const before = acknowledged.length;
      await eventually(async () => acknowledged.length > before + 20, TAKEN_OVER_WITHIN_MS);
      return Math.round(longest);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(lanes);
    },
  };
};

await t.test('what was acknowledged is there, whichever of them leads', async (t) => {
  const here = serverOn(first, tarball);
  const installed = await here.install('released', ...NAMES);
  t.equal(installed.code, 0, installed.text);
  const config = readFileSync(here.inside(CONFIG), 'utf8').concat(
    `\n[storage]\nurl = "${URL}"\n\n[network]\nallow_private = ["198.51.100.0/24"]\n`,
  );
  writeFileSync(here.inside(CONFIG), config);
  await first.do('systemctl', 'restart', 'postroom');
  await first.do('postroom', 'ready', '--within', '30');
  await first.do('postroom', 'workspaces', 'add', 'main', '--owner', 'you@remote.test', '--verified');
  const { address = '', api_key: key = '' } = await here.postroom('agents', 'add', 'clerk', '--workspace', 'main');

  const there = serverOn(second, tarball);
  const copied = '/root/first.key';
  const refused = async (reason: RegExp, ...args: string[]) => {
    const { code, text } = await there.install('released', ...args);
    t.not(code, 0);
    t.match(text, reason);
    t.notOk(existsSync(there.inside('/etc/postroom')), 'nothing was changed');
  };
  await refused(/There is no \/etc\/postroom\/vault\.key yet/, '--join', URL);
  writeFileSync(there.inside(copied), Buffer.alloc(32, 7));
  await refused(/is not the vault's key/, '--join', URL, '--vault-key', copied);
  writeFileSync(there.inside(copied), readFileSync(here.inside(KEY)));
  const nowhere = URL.replace(/postgres$/, 'nowhere');
  await refused(/database "nowhere" does not exist/, '--join', nowhere, '--vault-key', copied);
  await refused(/takes all else from the installation/, '--join', URL, ...NAMES);
  const joined = await there.install('released', '--join', URL, '--vault-key', copied);
  t.equal(joined.code, 0, joined.text);
  t.equal((await second.do('stat', '-c', '%a %U %G', CONFIG)).trim(), '640 root postroom');
  t.equal((await second.do('stat', '-c', '%a %U', KEY)).trim(), '400 postroom');
  const again = await there.install('released', '--join', URL);
  t.equal(again.code, 0, again.text);
  for (const each of [first, second]) t.match(await statusOf(each), /^Serving/);
  const states = async (on = second) =>
    (JSON.parse(await on.do('postroom', 'box', 'list', '--json')) as Record<'name' | 'state' | 'version', string>[])
      .map(({ name, state, version }) => `${name} ${state} ${version}`)
      .sort();
  const version = here.current();
  t.same(await states(), [`first leading ${version}`, `second serving ${version}`]);
  const until = ({ name }: Machine, state: string, on = second): Promise<boolean> =>
    eventually(
      async () => (await states(on)).some((each) => each.startsWith(`${name} ${state} `)),
      TAKEN_OVER_WITHIN_MS,
    );

  const load = mailIn(address);
  t.teardown(() => load.stop());
  const { acknowledged } = load;
  await eventually(async () => acknowledged.length > 20);
  const send = (subject: string) =>
    here.api(key, 'POST', '/v1/messages', { to: ['carol@remote.test'], subject, body: subject });
  for (const subject of ['Out 1', 'Out 2']) t.equal((await send(subject)).status, 200);
  setLink(first, 'down');
  const cutAt = performance.now();
  await until(second, 'leading');
  t.comment(`led ${Math.round(performance.now() - cutAt)} ms after the cut`);
  const before = acknowledged.length;
  await eventually(async () => acknowledged.length > before + 20, TAKEN_OVER_WITHIN_MS);
  setLink(first, 'up');
  await until(first, 'serving');
  t.pass('the first serves beside it when it is back');

  await second.do('kill', '-KILL', await there.pid());
  const killedAt = performance.now();
  await until(first, 'leading', first);
  t.comment(`led ${Math.round(performance.now() - killedAt)} ms after the kill`);
  const later = acknowledged.length;
  await eventually(async () => acknowledged.length > later + 20, TAKEN_OVER_WITHIN_MS);
  await until(second, 'serving', first);

  const handOver = async (from: Machine, to: Machine): Promise<void> => {
    const gap = await load.longestRefusal(() => from.do('postroom', 'box', 'drain'));
    t.ok(gap < REFUSED_FOR_MS, `${from.name} handed over: mail was refused for ${gap} ms`);
    await until(to, 'leading', to);
    await until(from, 'serving', to);
  };
  await handOver(first, second);
  await handOver(second, first);

  const upgrade = async (server: typeof here): Promise<void> => {
    const edits = withMigration('9980-later', 'additive', 'create table later (id integer) strict');
    makeVersion(server.versions, 'released', '0.9.0', { edits, key: null });
    const { code, text } = await server.install('0.9.0', '--upgrade', '--unsigned');
    t.equal(code, 0, text);
  };
  await upgrade(there);
  t.same(await states(), [`first leading ${version}`, 'second standing by 0.9.0']);
  t.equal((await first.run(['postroom', 'verify-data'])).code, 0, 'the data is as it was');
  await handOver(first, second);
  t.not((await first.run(['postroom', 'verify-data'])).code, 0, 'it is the new version’s');
  await upgrade(here);
  t.same(await states(), ['first serving 0.9.0', 'second leading 0.9.0']);
  await handOver(second, first);
  await load.stop();

  const known = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await here.api(key, 'GET', `/v1/messages?limit=100${cursor && `&cursor=${cursor}`}`);
    for (const { subject } of body.messages as { subject: string }[]) known.add(subject);
    cursor = body.next_cursor as string | null;
  }
  t.same(
    acknowledged.filter((subject) => !known.has(subject)),
    [],
    `${acknowledged.length} acknowledged are there`,
  );
  const subjects = () => receiver.messages.map(({ raw }) => /^subject: (.*)$/im.exec(raw.toString())?.[1]?.trim());
  await eventually(
    async () => ['Out 1', 'Out 2'].every((subject) => subjects().includes(subject)),
    TAKEN_OVER_WITHIN_MS,
  );
  t.pass('what waited to go out went out');
});
