/** Owners write in the name of agents: who sent a mail, and what they have not sent yet. */

export const kind = 'additive';

export const up = `
-- The address of the owner; null: the agent itself.
alter table messages add column sent_by text;
alter table pending_sends add column sent_by text;
alter table scheduled_sends add column sent_by text;

-- Of one owner in one workspace; no one else reads them. Recipients are as they were typed: they may be no addresses yet.
create table mail_drafts (
  id           blob primary key,
  workspace_id blob not null references workspaces (id) on delete cascade,
  owner        text not null,
  agent_id     blob not null references agents (id) on delete cascade,
  kind         text not null check (kind in ('new', 'reply', 'reply_all', 'forward')),
  -- What is answered or forwarded.
  message_id   blob,
  to_list      text not null,
  cc_list      text not null,
  bcc_list     text not null,
  subject      text not null,
  body         text not null,
  updated_at   integer not null
) strict, without rowid;
create index mail_drafts_of_owner on mail_drafts (workspace_id, owner, updated_at);
create index mail_drafts_of_agent on mail_drafts (agent_id);

create table draft_files (
  id           blob primary key,
  draft_id     blob not null references mail_drafts (id) on delete cascade,
  filename     text not null,
  content_type text not null,
  size         integer not null,
  content      blob not null
) strict;
create index draft_files_of_draft on draft_files (draft_id, id);
`;
