/** One reason for all that the guard holds. */

export const up = `
update pending_sends set reason = 'guarded'
where reason in ('thread_failed_authentication', 'recipient_failed_authentication');
`;
