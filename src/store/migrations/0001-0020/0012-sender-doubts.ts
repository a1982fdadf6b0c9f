/** Which mail is not shown to be from whom it says, and addresses in the one form in which they are compared. */

/** What stands between the quotes, its backslashes taken off. */
const INNER = `replace(substr(address, 2, instr(address, '"@') - 2), '\\', '')`;
/** `"ann"@x` is `ann@x` (RFC 5321 section 4.1.2): a quoted local part of nothing but atoms and dots loses its quotes. */
const PLAIN_QUOTED = `
  address glob '"?*"@*' and instr(address, '\\\\') = 0
  and ${INNER} not glob '*[^a-z0-9!#$%&''*+/=?^_\`{|}~\u0080-\u{10ffff}.-]*'
  and ${INNER} not glob '.*' and ${INNER} not glob '*.' and instr(${INNER}, '..') = 0`;
const UNQUOTED = `${INNER} || substr(address, instr(address, '"@') + 1)`;

/** The row under the plain address stays where there are both. */
const unquote = (table: string): string => `
update or ignore ${table} set address = ${UNQUOTED} where ${PLAIN_QUOTED};
delete from ${table} where ${PLAIN_QUOTED};
`;

export const up = `
-- doubtful: the checks speak against who a message says it is from, or could not be made (mail/auth/doubt.ts).
alter table messages add column doubtful integer not null default 0;
update messages set doubtful = 1 where direction = 'in' and (
  authentication is null
  or spam_verdict = 'FAIL'
  or json_extract(authentication, '$.from_domain') is null
  or (spam_verdict is not 'PASS' and (
    json_extract(authentication, '$.dmarc') not in ('none', 'pass')
    or (json_extract(authentication, '$.dmarc') = 'none' and (
      json_extract(authentication, '$.spf') in ('fail', 'temperror')
      or json_extract(authentication, '$.dkim') = 'temperror'
    ))
  ))
);
create index messages_doubtful on messages (thread_id, created_at) where doubtful = 1;

-- Addresses that a doubtful message named as its author's, or asked for answers at, since the mailbox last wrote to them.
create table doubted_senders (
  mailbox_id blob not null references mailboxes (id),
  address    text not null,
  primary key (mailbox_id, address)
) strict, without rowid;

-- Until now a mailbox counted as having heard from whomever a message said it was from.
delete from heard_from where (mailbox_id, address) not in (
  select mailbox_id, lower(from_address) from messages
  where direction = 'in' and spam_verdict is not 'FAIL'
    and (spam_verdict = 'PASS' or json_extract(authentication, '$.dmarc') = 'pass')
);
${['suppressions', 'correspondents', 'heard_from', 'body_recipients'].map(unquote).join('')}
update rules set value = ${UNQUOTED.replaceAll('address', 'value')}
  where match = 'exact_email' and ${PLAIN_QUOTED.replaceAll('address', 'value')};
`;
