/** The tables as Kysely sees them, put together from the mappings of each family. */

import type { AccountTables } from './accounts/accounts-mappings.ts';
import type { ActivityTables } from './activity/activity-mappings.ts';
import type { ContactTables } from './contacts/contacts-mappings.ts';
import type { EventTables } from './events/events-mappings.ts';
import type { KnowledgeTables } from './knowledge/knowledge-mappings.ts';
import type { MailTables } from './mail/mail-mappings.ts';
import type { NoteTables } from './notes/notes-mappings.ts';
import type { OauthTables } from './oauth/oauth-mappings.ts';
import type { OwnerTables } from './owners/owners-mappings.ts';
import type { SendingTables } from './sending/sending-mappings.ts';
import type { SettingTables } from './settings-mapping.ts';
import type { TlsTables } from './tls/tls-mappings.ts';
import type { VaultTables } from './vault/vault-mappings.ts';

export interface Schema
  extends SettingTables,
    AccountTables,
    OwnerTables,
    OauthTables,
    MailTables,
    SendingTables,
    EventTables,
    TlsTables,
    ActivityTables,
    VaultTables,
    ContactTables,
    NoteTables,
    KnowledgeTables {}
