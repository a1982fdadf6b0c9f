import { join } from 'node:path';
import t from 'tap';
import { openConnection } from '../../../src/store/sqlite/connection.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';

/** A list is one walk of one index: no sort, no scan, whatever is stored. The statements are those of src/store. */
const PLANS: Record<string, string> = {
  'the list of current mail':
    'select * from messages where mailbox_id = ? and archived = 0 and created_at < ? order by created_at desc limit 20',
  'the list with the archive': 'select * from messages where mailbox_id = ? order by created_at desc limit 20',
  'the unread':
    'select * from messages where mailbox_id = ? and unread = 1 and archived = 0 order by created_at desc limit 20',
  'the messages of a thread': 'select * from messages where thread_id = ? order by created_at limit 20',
  'the threads':
    'select * from threads where mailbox_id = ? and (last_message_at, id) < (?, ?) order by last_message_at desc, id desc limit 20',
  'a message by its Message-ID':
    'select * from messages where mailbox_id = ? and rfc_message_id = ? order by created_at desc limit 1',
  'the latest time of a mailbox':
    'select created_at from messages where mailbox_id = ? order by created_at desc limit 1',
  'what is due':
    'select * from deliveries where next_attempt_at is not null and max(next_attempt_at, leased_until) <= +cast(? as integer) order by max(next_attempt_at, leased_until) limit 40',
  'what is due of a mailbox':
    'select * from deliveries where next_attempt_at is not null and mailbox_id = ? and max(next_attempt_at, leased_until) <= +cast(? as integer) order by max(next_attempt_at, leased_until) limit 40',
  'the next mailbox with something in the queue':
    'select min(mailbox_id) from deliveries where next_attempt_at is not null and mailbox_id > ?',
  'whether a mailbox has something due':
    'select 1 from deliveries where next_attempt_at is not null and mailbox_id = ? and max(next_attempt_at, leased_until) <= +cast(? as integer)',
  'what is leased': 'select id from deliveries where leased_until > 0',
  'the deliveries of a message': 'select * from deliveries where message_id = ? order by position',
  'the disposable addresses of an agent':
    'select * from mailboxes where agent_id = ? and receive_only = 1 and expires_at > ?',
  'the mailboxes that have expired': 'select id from mailboxes where expires_at < ? order by expires_at limit 100',
  'a key by its hash': 'select * from api_keys where hash = ?',
};

t.test('every list and look-up walks an index', (t) => {
  const connection = openConnection(join(t.testdir({}), 'x.db'), 'write');
  migrate(connection, 1);
  for (const [what, sql] of Object.entries(PLANS)) {
    const steps = connection.prepare(`explain query plan ${sql}`).all(...(sql.match(/\?/g)?.map(() => 1) ?? [])) as {
      detail: string;
    }[];
    const details = steps.map(({ detail }) => detail).join('; ');
    t.match(details, /SEARCH \w+ USING/, `${what}: ${details}`);
    t.notMatch(details, /SCAN|TEMP B-TREE/, `${what} is neither scanned nor sorted`);
  }
  connection.close();
  t.end();
});
