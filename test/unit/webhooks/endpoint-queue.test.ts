import t from 'tap';
import { adjustWindow, type EndpointQueue, freeSlots, newEndpointQueue } from '../../../src/webhooks/endpoint-queue.ts';

const SLOTS = { all: 8, degraded: 6 };
const withInFlight = (queue: EndpointQueue, count: number): EndpointQueue => {
  for (let n = 0; n < count; n++) queue.inFlight.add(n);
  return queue;
};

t.test('the window doubles on success and falls to one on failure or slowness', async (t) => {
  const queue = newEndpointQueue();
  const windows = [queue.window];
  for (let n = 0; n < 6; n++) {
    adjustWindow(queue, true, 20);
    windows.push(queue.window);
  }
  t.same(windows, [1, 2, 4, 8, 16, 16, 16]);
  adjustWindow(queue, true, 5_000);
  t.match(queue, { window: 1, isDegraded: true }, 'slow');
  adjustWindow(queue, true, 5);
  t.match(queue, { window: 2, isDegraded: false });
  adjustWindow(queue, false, 5);
  t.match(queue, { window: 1, isDegraded: true }, 'failed');
});

t.test('degraded endpoints leave slots to the others', async (t) => {
  const degraded = Array.from({ length: 6 }, () => withInFlight({ ...newEndpointQueue(), isDegraded: true }, 1));
  const one: EndpointQueue = { ...newEndpointQueue(), isDegraded: true };
  const healthy: EndpointQueue = { ...newEndpointQueue(), window: 16 };
  const well = degraded.map((queue) => ({ ...queue, isDegraded: false }));
  t.equal(freeSlots(one, degraded, SLOTS), 0);
  t.equal(freeSlots(one, well, SLOTS), 1, 'what is in flight to others takes none of theirs');
  t.equal(freeSlots(healthy, degraded, SLOTS), 2);
  t.equal(freeSlots(withInFlight(newEndpointQueue(), 1), [], SLOTS), 0, 'no more than its window');
  t.equal(freeSlots(healthy, [withInFlight({ ...newEndpointQueue(), inFlight: new Set() }, 8)], SLOTS), 0);
});
