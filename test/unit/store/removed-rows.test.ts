/** No table is forgotten when a workspace or a mailbox is removed: the tables follow from the schema. */

import Database from 'better-sqlite3';
import t from 'tap';
import { recordQueries } from '../../harness/store-calls/recorded-queries.ts';

/** Columns that name the owner of a row. */
const OWNERS = { workspace: ['workspace_id', 'scope'], mailbox: ['mailbox_id', 'scope'] } as const;

/** Tables with such a column that a removal leaves, with the reason. */
const LEFT: Readonly<Record<keyof typeof OWNERS, Readonly<Record<string, string>>>> = {
  workspace: {
    activity: 'the log keeps what it has',
    agents: 'so that no handle is given again',
    domains: 'so that no subdomain is given again',
    owner_invitations: 'ended with the removal, and they lapse',
    push_messages: 'they lapse within a day, and are not sent without their workspace',
    sign_in_links: 'they lapse',
    told_needs: 'they lapse within a day',
    workspace_owners: 'taken with the removal',
    pending_sends: 'they go with their mailbox',
    secrets: 'they go one by one, with their grants',
    knowledge_sources: 'they go one by one, with what is made from them',
    knowledge_pages: 'they go with their source',
  },
  mailbox: {
    deliveries: 'they go with their message',
    events: 'they go with the workspace, and lapse',
    webhooks: 'ended with the agent; they go with the workspace',
  },
};

const DELETED_BY = {
  workspace: ['deleteSomeOfWorkspace'],
  mailbox: ['deleteSomeOfMailbox', 'deleteMailboxPart'],
} as const;

t.test('what is removed leaves no row in any table', async (t) => {
  const { file, queries } = await recordQueries(t);
  const data = new Database(file, { readonly: true });
  t.teardown(() => data.close());
  for (const owner of ['workspace', 'mailbox'] as const) {
    const columns = OWNERS[owner].map((name) => `'${name}'`).join();
    const owned = data
      .prepare<[], string>(
        `select distinct s.name from sqlite_schema s, pragma_table_info(s.name) c
         where s.type = 'table' and c.name in (${columns}) order by s.name`,
      )
      .pluck()
      .all();
    const deleted = new Set(
      queries
        .filter(({ by }) => (DELETED_BY[owner] as readonly string[]).includes(by))
        .flatMap(({ query }) => /^delete from "?(\w+)/.exec(query.sql)?.[1] ?? []),
    );
    const left = owned.filter((table) => !deleted.has(table));
    t.same(left, Object.keys(LEFT[owner]).toSorted(), `of a ${owner}, each other table with its rows is emptied`);
    t.ok(owned.length > 10, 'the schema was read');
  }
});
