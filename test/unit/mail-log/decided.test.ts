import t from 'tap';
import { toDecidedLine } from '../../../src/mail-log/decided.ts';

t.test('what became of a held mail, by the event that tells of it', async (t) => {
  const line = (name: string, data = {}) => toDecidedLine({ name, data: { pending_id: 'p', subject: 'x', ...data } });
  const decided = { mail: 'decided', pending_id: 'p', message_id: null, edited: false };
  t.same(line('approval.approved', { message_id: 'm', edited: true, webhook_id: null }), {
    ...decided,
    reason: 'approved',
    message_id: 'm',
    edited: true,
  });
  t.same(line('approval.failed', { failure_reason: 'x' }), { ...decided, reason: 'not_released' });
  t.same(line('approval.rejected', { decision_note: 'x', webhook_id: null }), { ...decided, reason: 'turned_down' });
  t.same(line('approval.expired'), { ...decided, reason: 'not_decided' });
  t.equal(line('approval.requested'), null);
  t.equal(line('message.sent', { message_id: 'm' }), null);
  t.equal(line('approval.approved', { webhook_id: 'w' }), null, 'of an endpoint');
});
