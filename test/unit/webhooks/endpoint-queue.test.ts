import t from 'tap';
import { type Lane, learn, newLane, roomOf } from '../../../src/webhooks/endpoint-queue.ts';

const PLACES = { all: 8, troubled: 6 };
const withUnderWay = (lane: Lane, count: number): Lane => {
  for (let n = 0; n < count; n++) lane.underWay.add(n);
  return lane;
};

t.test('an endpoint that answers soon is given more, one in trouble one at a time', async (t) => {
  const lane = newLane();
  const windows = [lane.window];
  for (let n = 0; n < 6; n++) {
    learn(lane, true, 20);
    windows.push(lane.window);
  }
  t.same(windows, [1, 2, 4, 8, 16, 16, 16]);
  learn(lane, true, 5_000);
  t.match(lane, { window: 1, isTroubled: true }, 'slow');
  learn(lane, true, 5);
  t.match(lane, { window: 2, isTroubled: false });
  learn(lane, false, 5);
  t.match(lane, { window: 1, isTroubled: true }, 'failed');
});

t.test('those in trouble leave places to the others', async (t) => {
  const troubled = Array.from({ length: 6 }, () => withUnderWay({ ...newLane(), isTroubled: true }, 1));
  const sick: Lane = { ...newLane(), isTroubled: true };
  const well: Lane = { ...newLane(), window: 16 };
  t.equal(roomOf(sick, troubled, PLACES), 0);
  t.equal(roomOf(well, troubled, PLACES), 2);
  t.equal(roomOf(withUnderWay(newLane(), 1), [], PLACES), 0, 'no more than its window');
  t.equal(roomOf(well, [withUnderWay({ ...newLane(), underWay: new Set() }, 8)], PLACES), 0);
});
