import { join } from 'node:path';
import t from 'tap';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { openConnection } from '../../../src/store/sqlite/open-database.ts';

/** A list is one walk of one index: no sort, no scan, whatever is stored. The statements are those of src/store. */
const PLANS: Record<string, string> = {
  'the list of current mail':
    'select * from messages where mailbox_id = ? and archived = 0 and created_at < ? order by created_at desc limit 20',
  'the list with the archive': 'select * from messages where mailbox_id = ? order by created_at desc limit 20',
  'the unread':
    'select * from messages where mailbox_id = ? and unread = 1 and archived = 0 order by created_at desc limit 20',
  'the list of one direction':
    'select * from messages where mailbox_id = ? and archived = 0 and direction = ? and created_at >= ? and created_at < ? order by created_at desc limit 20',
  'the list of one author':
    'select * from messages where mailbox_id = ? and archived = 0 and lower(from_address) = lower(?) order by created_at desc limit 20',
  'the bookings that are due':
    "select * from scheduled_sends where status = 'pending' and due_at <= ? order by due_at limit 20",
  'who wrote into a thread':
    "select from_address, authentication from messages where thread_id = ? and direction = 'in' order by created_at desc limit 1000",
  'the messages of a thread': 'select * from messages where thread_id = ? order by created_at limit 20',
  'the latest doubtful message of a thread':
    'select created_at from messages where thread_id = ? and doubtful = 1 order by created_at desc limit 1',
  'whether a doubtful message named an address':
    'select address from doubted_senders where mailbox_id = ? and address in (?, ?)',
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
  'what a mailbox got after a time':
    'select id, subject from messages where mailbox_id = ? and created_at > ? order by created_at limit 250',
  'the same in a thread':
    'select id from messages where mailbox_id = ? and thread_id = ? and created_at > ? order by created_at limit 250',
  'what is due for a webhook endpoint': `select d.event_seq, e.data from webhook_deliveries d join events e on e.seq = d.event_seq
    where d.webhook_id = ? and d.next_attempt_at is not null and d.next_attempt_at <= ?
    order by d.next_attempt_at, d.event_seq limit 16`,
  'when more is due for it':
    'select next_attempt_at from webhook_deliveries where webhook_id = ? and next_attempt_at > ? order by next_attempt_at limit 1',
  'the endpoints that an event waits for':
    'select id from webhooks where workspace_id = ? and (mailbox_id is null or mailbox_id = ?) and active = 1',
  'the attempts of a workspace':
    'select * from webhook_attempts a join events e on e.seq = a.event_seq where a.workspace_id = ? and a.at < ? order by a.at desc limit 25',
  'the attempts at an endpoint':
    'select * from webhook_attempts a join events e on e.seq = a.event_seq where a.webhook_id = ? order by a.at desc limit 25',
  'the events of a workspace': 'select * from events where workspace_id = ? and seq > ? order by seq limit 100',
  'an event by its id': 'select seq from events where id = ? and workspace_id = ?',
  'the latest event of a time':
    'select seq from events where created_at <= ? order by created_at desc, seq desc limit 1',
  'the TLS reports that are due': 'select * from tls_reports where due_at <= ? order by due_at limit 50',
  'the TLS results of a day': 'select * from tls_results where domain = ? and day = ? order by policy, failure',
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
