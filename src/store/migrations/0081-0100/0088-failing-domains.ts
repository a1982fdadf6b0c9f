/** The failing domains of a workspace: without this, each look at Home reads what the checks of all of them found. */

export const kind = 'additive';

export const up = `
create index failing_domains on domains (workspace_id, created_at) where status = 'failing';
`;
