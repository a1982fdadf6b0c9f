/** Search finds words by their beginning without merging the lists of all that have it. */

export const up = `
-- An index takes no further option: it is made again from the texts. Lists are kept for beginnings of three and of five
-- letters; longer ones are found by those and looked up in the text (store/sqlite/fts5-expression.ts).
drop table message_index;
create virtual table message_index using fts5 (
  mailbox, subject, sender, recipients, attachments, body,
  content = 'message_texts', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2', prefix = '3 5'
);
insert into message_index (message_index) values ('rebuild');
`;
