/** Custom domains that send alone: their mail is received by another server. */

export const name = '0071-sending-domains';

export const kind = 'additive';

export const up = `
alter table domains add column receives integer not null default 1;
`;
