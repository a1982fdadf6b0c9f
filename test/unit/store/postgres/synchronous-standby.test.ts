import t from 'tap';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { insertRawMessage } from '../../../../src/store/mail/raw-messages.ts';
import { openStore } from '../../../../src/store/open-store.ts';
import { queryOnce, startPostgres, startStandby } from '../../../harness/postgres/postgres-server.ts';
import { eventually } from '../../../harness/smtp/send-mail.ts';

t.test(
  'a commit that is cut off while it waits for a synchronous standby is told once the standby has it',
  async (t) => {
    await using primary = await startPostgres();
    await using standby = await startStandby(primary);
    const store = await openStore({ engine: 'postgres', url: primary.url }, { now: systemClock.now() });
    await queryOnce(primary, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()');
    await eventually(async () => {
      const [row] = await queryOnce(primary, 'select sync_state from pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    await standby.crash();
    let isTold = false;
    const write = store
      .write((tx) => insertRawMessage(tx, { mime: Buffer.from('a mail'), size: 6 }))
      .then(() => {
        isTold = true;
      });
    const findWaiting = async () =>
      (await queryOnce(primary, "select pid from pg_stat_activity where wait_event = 'SyncRep'"))[0]?.pid;
    const waiting = await eventually(findWaiting);
    await queryOnce(primary, `select pg_terminate_backend(${waiting}, 10000)`);
    await eventually(async () => isTold || (await findWaiting()));
    t.notOk(isTold, 'a failover would lose it');
    await standby.start();
    await write;
    t.equal((await store.read.selectFrom('raw_messages').select('id').execute()).length, 1);
    await store.close();
  },
);
