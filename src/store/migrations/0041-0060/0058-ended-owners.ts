/** Ends what owners without a workspace sign in with, as its removal does from now on. */

export const kind = 'additive';

export const up = `
delete from passkeys where owner_id not in (select owner_id from workspace_owners);
delete from owner_sessions where owner_id not in (select owner_id from workspace_owners);
`;
