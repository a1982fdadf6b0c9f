import Database from 'better-sqlite3';
import t from 'tap';
import { ofSqlite } from '../../harness/postgres/test-location.ts';
import { countCalledModules, countStoreModules, recordQueries } from '../../harness/store-calls/recorded-queries.ts';

/** Scans and sorts that are intended, by the function that runs them: why, and what the plan says. */
const INTENDED: Readonly<Record<string, readonly [because: string, plan: RegExp]>> = {
  findAgent: ['an agent by any of its names, for the CLI', /^SCAN addresses USING INDEX/],
  listAgents: ['all agents of the instance, for the CLI', /^SCAN addresses USING INDEX|TEMP B-TREE FOR ORDER BY/],
  listApiKeys: ['an agent has few, the CLI lists all', /^SCAN api_keys|TEMP B-TREE FOR ORDER BY/],
  listDomains: ['a workspace has few, the CLI lists all', /^SCAN domains|TEMP B-TREE FOR ORDER BY/],
  listLiveDomains: ['a workspace has few, the CLI lists all', /^SCAN domains|TEMP B-TREE FOR ORDER BY/],
  listFormerAddresses: ['an agent has few', /TEMP B-TREE FOR ORDER BY/],
  findWorkspaces: ['a workspace by its name, for the CLI', /^SCAN workspaces/],
  listWorkspaces: ['all workspaces, for the CLI', /^SCAN workspaces|TEMP B-TREE FOR ORDER BY/],
  listProbationWorkspaces: ['an hourly job', /^SCAN workspaces/],
  listTextsAfter: ['a bounded batch for an index', /^SCAN (?:later|sized|\(subquery)|TEMP B-TREE FOR ORDER BY/],
  listUnchecked: ['an hourly job, from the longest unchecked on', /^SCAN domains USING INDEX domains_by_check$/],
  listPolicyDomains: ['an hourly job of a thousand rows', /^SCAN |TEMP B-TREE FOR ORDER BY/],
  listRules: ['an identity has few', /TEMP B-TREE FOR ORDER BY/],
  listLiveTempAddresses: ['an agent has few', /TEMP B-TREE FOR ORDER BY/],
  listInactiveWebhooks: ['an hourly job', /^SCAN webhooks/],
  listWorkspaceOwners: ['a workspace has few, the CLI lists all', /^SCAN workspace_owners|TEMP B-TREE FOR ORDER BY/],
  findNoticeAddress: ['a workspace has few owners', /TEMP B-TREE FOR ORDER BY/],
  listNoticeAddresses: ['a workspace has few owners', /TEMP B-TREE FOR ORDER BY/],
  listOwnersOn: ['a workspace has few owners', /TEMP B-TREE FOR ORDER BY/],
  voidLinksAtDomain: ['when a domain is verified; links are kept for days', /^SCAN sign_in_links$/],
  endInvitationsAtDomain: ['when a domain is verified; invitations are kept for a month', /^SCAN owner_invitations$/],
  listWorkspacesOf: ['an owner has few', /TEMP B-TREE FOR ORDER BY/],
  listSecrets: ['all secrets of the instance, for the CLI', /^SCAN secrets|TEMP B-TREE FOR ORDER BY/],
  listSealedWebhooks: ['once, when an older version is brought up', /^SCAN webhooks/],
  listWrappedKeys: ['a rotation of the master key', /^SCAN vault_keys/],
  listIndexedWorkspaces: ['once an hour, one row for each workspace with secrets', /^SCAN leak_indexes/],
  listWebhooksWithWaiting: ['at the start', /^SCAN webhooks/],
  findSentDelivery: ['an event has one row for each endpoint', /TEMP B-TREE FOR ORDER BY/],
  listActivity: ['a page of the primary key, from its end', /^SCAN activity$/],
  findSecrets: ['a secret by its name, for the CLI', /^SCAN secrets/],
  listGrants: ['a workspace has few, the CLI lists all', /^SCAN secret|TEMP B-TREE FOR ORDER BY/],
  listHeldSends: ['a reviewer sees every mailbox', /USING INDEX pending_by_workspace|TEMP B-TREE FOR ORDER BY/],
  sumHeldByAgent: ['a mailbox holds 200 mails at most', /TEMP B-TREE FOR GROUP BY/],
  listBookedSends: ["the bookings of a workspace's mailboxes, sorted by time", /TEMP B-TREE FOR ORDER BY/],
  listQueue: ["a workspace's queue, for the CLI", /TEMP B-TREE FOR ORDER BY/],
  findBaseDomain: ['before the first start, and with a wrong config', /^SCAN domains$/],
  latestEventSeq: ['the last row', /^SCAN events$/],
  nextScheduledTime: ['the first row of the index', /USING COVERING INDEX scheduled_due/],
  countHeldSends: ['rows of a bounded index walk', /^SCAN pending_sends USING COVERING INDEX pending_by_expiry$/],
  listDeferrable: ['rows of a bounded index walk', /^SCAN soon$/],
  listDueMailboxes: ['rows of a bounded index walk', /^SCAN (queued|CONSTANT ROW)$/],
  deletePassages: ['a row of the full-text index, by its number', /^SCAN knowledge_index VIRTUAL TABLE INDEX 0:=$/],
  deleteSomeOfSource: [
    'rows of the full-text index, by their numbers',
    /^SCAN knowledge_index VIRTUAL TABLE INDEX 0:=$/,
  ],
  findEmbeddingModel: ['the last row', /^SCAN embedding_models$/],
  useEmbeddingModel: ['the last row', /^SCAN embedding_models$/],
  countOauthClients: ['at a registration, of at most 10 000', /^SCAN oauth_clients/],
  deleteIdlestOauthClient: ['from the longest unused on, to the first', /^SCAN oauth_/],
  listReachedAgents: ['an owner has few', /TEMP B-TREE FOR ORDER BY/],
  narrowGrantsOf: ['an owner has few', /TEMP B-TREE FOR ORDER BY/],
  narrowGrantsIn: ['a workspace has few', /TEMP B-TREE FOR ORDER BY/],
  listAgentsOfOwner: ['an owner has few', /TEMP B-TREE FOR ORDER BY/],
  purgeExpired: ['an hourly job', /^SCAN (?:suppressions|cold_sends|outcomes|mail_days|host_days|usage)$/],
  listHosts: ['a day has at most 300', /TEMP B-TREE FOR (?:GROUP|ORDER) BY/],
  listHostReplies: ['an organisation has few', /TEMP B-TREE FOR (?:GROUP|ORDER) BY/],
};

/** Counts of held mail: a row holds a whole mail, which SQLite reads for any column behind it. */
const OF_INDEXES_ALONE = new Set(['sumHeldSends', 'sumHeldByAgent', 'countHeldSince', 'countHeldSends']);

/** The rows of a bounded walk; a row of a full-text index, by its number; the rows that a statement writes. */
const BOUNDED = /^SCAN (?:some$|(?:contact|note)_terms VIRTUAL TABLE INDEX 0:=|\d+ CONSTANT ROWS)$/;

t.test('every module of the store is called', (t) => {
  t.equal(countCalledModules(), countStoreModules());
  t.end();
});

ofSqlite(t, 'the plans are its own')('every query of the store walks an index: no scan, no sort', async (t) => {
  const { file, queries } = await recordQueries(t);
  t.ok(queries.length > 200, `${queries.length} queries were recorded`);
  const data = new Database(file, { readonly: true });
  const used = new Set<string>();
  const counted = new Set<string>();
  for (const { by, query } of queries) {
    const steps = data.prepare(`explain query plan ${query.sql}`).all(...query.parameters) as { detail: string }[];
    const walked = steps
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (?!\d+-ROW VALUES)|TEMP B-TREE/.test(detail) && !BOUNDED.test(detail));
    if (OF_INDEXES_ALONE.has(by)) {
      counted.add(by);
      const reads = steps.map(({ detail }) => detail).filter((detail) => / pending_sends /.test(detail));
      t.same(
        reads.filter((detail) => !/USING COVERING INDEX/.test(detail)),
        [],
        `${by} reads no held mail`,
      );
    }
    const [, plan] = INTENDED[by] ?? [];
    if (walked.length > 0) used.add(by);
    t.same(
      walked.filter((detail) => !plan?.test(detail)),
      [],
      `${by}: ${query.sql}`,
    );
  }
  t.same(counted, OF_INDEXES_ALONE);
  t.same([...used].sort(), Object.keys(INTENDED).sort(), 'each scan that is named is still made');
  data.close();
});
