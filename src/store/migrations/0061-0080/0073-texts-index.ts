/** The full-text index has a file of its own beside the data, made from the texts. */

export const up = `
drop table message_index;
-- Numbers of texts that were removed and may still be in the index. The highest one stays: no number is given twice.
create table removed_texts (seq integer primary key) strict;
`;
