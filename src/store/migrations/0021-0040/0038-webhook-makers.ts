/** Which agent made a webhook endpoint: it may outlive the agent, where it hears the whole workspace. */

export const up = `
-- Null: made before this was recorded.
alter table webhooks add column made_by blob;
`;
