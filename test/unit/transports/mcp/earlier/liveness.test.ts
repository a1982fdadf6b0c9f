import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mock } from 'node:test';
import t from 'tap';
import { createLiveness } from '../../../../../src/transports/mcp/earlier/liveness.ts';

const GRACE_MS = 40;

t.before(() => mock.timers.enable({ apis: ['setTimeout'] }));
t.teardown(() => mock.timers.reset());
const pass = (ms: number) => mock.timers.tick(ms);

const connection = () => {
  const response = new EventEmitter() as ServerResponse & { writableFinished: boolean };
  response.writableFinished = false;
  return {
    response,
    breakOff: () => response.emit('close'),
    finish: () => {
      response.writableFinished = true;
      response.emit('close');
    },
  };
};

t.test('a call outlives its connection for a moment, where its client may resume it', async (t) => {
  const liveness = createLiveness(GRACE_MS);
  const [fleeting, resumable, answered] = [connection(), connection(), connection()];
  const signals = [
    liveness.attend(fleeting.response, false),
    liveness.attend(resumable.response, true),
    liveness.attend(answered.response, true),
  ];
  const gone = () => signals.map(({ aborted }) => aborted);
  t.equal(liveness.connections, 3);
  for (const { breakOff } of [fleeting, resumable]) breakOff();
  answered.finish();
  t.equal(liveness.connections, 0);
  t.same(gone(), [true, false, false]);
  pass(GRACE_MS);
  t.same(gone(), [true, true, false], 'what was answered is left alone');
});

t.test('as long as it resumes, its calls go on', async (t) => {
  const liveness = createLiveness(GRACE_MS);
  const [call, resumed, again] = [connection(), connection(), connection()];
  const signal = liveness.attend(call.response, true);
  call.breakOff();
  liveness.resume(resumed.response);
  pass(GRACE_MS);
  t.notOk(signal.aborted);
  resumed.breakOff();
  liveness.resume(again.response);
  pass(GRACE_MS);
  t.notOk(signal.aborted);
  again.breakOff();
  pass(GRACE_MS);
  t.ok(signal.aborted);
});

t.test('the end of a session is the end of its calls', async (t) => {
  const liveness = createLiveness(GRACE_MS);
  const [connected, broken] = [connection(), connection()];
  const signals = [liveness.attend(connected.response, true), liveness.attend(broken.response, true)];
  broken.breakOff();
  liveness.end();
  t.ok(signals.every(({ aborted }) => aborted));
});
