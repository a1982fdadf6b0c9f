/** The mapping of every table. A new family adds its line: the schema, and what goes with a workspace, follow. */

export * from './accounts/accounts-mappings.ts';
export * from './activity/activity-mappings.ts';
export * from './contacts/contacts-mappings.ts';
export * from './events/events-mappings.ts';
export * from './knowledge/knowledge-mappings.ts';
export * from './mail/mail-mappings.ts';
export * from './notes/notes-mappings.ts';
export * from './oauth/oauth-mappings.ts';
export * from './owners/owners-mappings.ts';
export * from './sending/sending-mappings.ts';
export * from './settings-mapping.ts';
export * from './tls/tls-mappings.ts';
export * from './vault/vault-mappings.ts';
