import t from 'tap';
import { LOOK_AGAIN_MS, nextLookIn } from '../../../../src/outbound/queue/next-look.ts';

const AT = 1_800_000_000_000;

t.equal(nextLookIn([], AT, AT), LOOK_AGAIN_MS, 'another process may have inserted rows');
t.equal(nextLookIn([AT + 60_000], AT, AT), LOOK_AGAIN_MS);
t.equal(nextLookIn([AT + 4_000, AT + 1_000], AT, AT + 10), 990, 'the soonest');
t.equal(nextLookIn([AT - 9, AT], AT, AT), LOOK_AGAIN_MS, 'what was left waits for the end of an attempt');
t.equal(nextLookIn([AT, AT + 1_000], AT, AT), 1_000, 'and does not hide the pace of a destination');
t.equal(nextLookIn([AT + 1], AT, AT + 1), 0, 'what came due during the look goes at once');
t.equal(nextLookIn([AT + 1], AT, AT + 3), 0);
t.equal(nextLookIn([AT + 1_000], AT, AT - 3_600_000), LOOK_AGAIN_MS, 'a clock that was set back');
