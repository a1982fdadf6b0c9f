/** No table is forgotten when a workspace or a mailbox is removed: the tables follow from the schema. */

import Database from 'better-sqlite3';
import t from 'tap';
import * as tables from '../../../src/store/tables.ts';
import { linesOf } from '../../harness/lines.ts';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { recordQueries } from '../../harness/store-calls/recorded-queries.ts';

/** Columns that name the owner of a row. */
const OWNERS = { workspace: ['workspace_id', 'scope'], mailbox: ['mailbox_id', 'scope'] } as const;

/** Tables with such a column that a removal leaves: the reasons stand in removed-workspaces.ts. */
const LEFT = {
  workspace: linesOf`
    activity
    agents
    domains
    knowledge_pages
    knowledge_sources
    owner_invitations
    pending_sends
    push_messages
    secrets
    sign_in_links
    told_needs
    workspace_owners
  `,
  // They go with their message, with the workspace or at their end.
  mailbox: ['deliveries', 'events', 'webhooks'],
};

const DELETED_BY = {
  workspace: ['deleteSomeOfWorkspace'],
  mailbox: ['deleteSomeOfMailbox', 'deleteMailboxPart'],
} as const;

ofSqlite(t, 'reads the schema of the data file')('what is removed leaves no row in any table', async (t) => {
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
    t.same(left, LEFT[owner], `of a ${owner}, each other table with its rows is emptied`);
    t.ok(owned.length > 10, 'the schema was read');
  }
});

ofSqlite(t, 'reads the schema of the data file')('a mapping is keyed by the primary key of its table', async (t) => {
  const { file } = await recordQueries(t);
  const data = new Database(file, { readonly: true });
  t.teardown(() => data.close());
  const keyOf = data
    .prepare<[string], string>('select name from pragma_table_info(?) where pk > 0 order by pk')
    .pluck();
  for (const each of Object.values(tables)) {
    // A unique index has the place of the key there.
    if (!('table' in each) || each.table === 'webhook_attempts') continue;
    t.same(each.key, keyOf.all(each.table), each.table);
  }
});
