/** Contacts that a person has said are not one. */

export const kind = 'additive';

export const up = `
-- one_seq < other_seq. A pair goes with either of its contacts.
create table contacts_apart (
  workspace_id blob not null,
  one_seq      integer not null references contacts (seq) on delete cascade,
  other_seq    integer not null references contacts (seq) on delete cascade,
  primary key (workspace_id, one_seq, other_seq)
) strict, without rowid;
create index contacts_apart_by_one on contacts_apart (one_seq);
create index contacts_apart_by_other on contacts_apart (other_seq);
`;
