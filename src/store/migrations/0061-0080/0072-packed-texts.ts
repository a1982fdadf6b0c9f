/** The text of a mail is kept packed, with the mail's own bytes as dictionary. */

export const up = `
-- A zstd frame (store/search/packed-text.ts); the body is '' then. Null: the body is the text, as in mail of before.
alter table message_texts add column packed blob;
`;
