/** What a reviewer sees of a held mail, and mail of the instance to owners: written with its cause, mailed afterwards. */

export const up = `
-- html_text: the text of the HTML part where it reads differently from the text part; null: it does not, or it is decided.
alter table pending_sends add column cc_list text not null default '[]';
alter table pending_sends add column bcc_list text not null default '[]';
alter table pending_sends add column attachments text not null default '[]';
alter table pending_sends add column html_text text;
update pending_sends set
  cc_list = coalesce(json_extract(outgoing, '$.cc'), '[]'),
  bcc_list = coalesce(json_extract(outgoing, '$.bcc'), '[]'),
  attachments = coalesce(json_extract(outgoing, '$.attachments'), '[]')
  where status = 'pending';

-- data: JSON, by kind.
create table notices (
  id          blob primary key,
  kind        text not null,
  owner_email text not null,
  data        text not null,
  due_at      integer not null,
  created_at  integer not null
) strict, without rowid;
create index notices_due on notices (due_at);

-- Mail to postmaster and abuse that came for an owner on a UTC day, which begins at \`day\`. withheld: JSON, the first of
-- those that were not passed on.
create table role_mail_days (
  owner_email text not null,
  day         integer not null,
  count       integer not null,
  withheld    text not null default '[]',
  primary key (owner_email, day)
) strict, without rowid;
create index role_mail_days_by_day on role_mail_days (day);

-- An endpoint that was turned off is told by a notice.
insert into notices (id, kind, owner_email, data, due_at, created_at)
  select randomblob(16), 'webhook-off', owner_email, json_object('url', url, 'failures', failure_count), 0, updated_at
  from webhooks join workspaces on workspaces.id = webhooks.workspace_id
  where notice_due = 1;
drop index webhooks_to_tell;
alter table webhooks drop column notice_due;
`;
