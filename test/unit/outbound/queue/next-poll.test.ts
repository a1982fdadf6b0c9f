import t from 'tap';
import { nextPollIn, POLL_MS } from '../../../../src/outbound/queue/next-poll.ts';

const AT = 1_800_000_000_000;

t.equal(nextPollIn([], AT, AT), POLL_MS, 'another process may have inserted rows');
t.equal(nextPollIn([AT + 60_000], AT, AT), POLL_MS);
t.equal(nextPollIn([AT + 4_000, AT + 1_000], AT, AT + 10), 990, 'the soonest');
t.equal(nextPollIn([AT - 9, AT], AT, AT), POLL_MS, 'what was left waits for the end of an attempt');
t.equal(nextPollIn([AT, AT + 1_000], AT, AT), 1_000, 'and does not hide the pace of a destination');
t.equal(nextPollIn([AT + 1], AT, AT + 1), 0, 'what came due during the look goes at once');
t.equal(nextPollIn([AT + 1], AT, AT + 3), 0);
t.equal(nextPollIn([AT + 1_000], AT, AT - 3_600_000), POLL_MS, 'a clock that was set back');
