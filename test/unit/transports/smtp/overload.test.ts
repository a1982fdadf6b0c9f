import t from 'tap';
import { createOverload } from '../../../../src/transports/smtp/overload.ts';

const open = () => {
  const state = { at: 1_000_000, free: 100, asked: 0, faults: 0 };
  const overload = createOverload(50, {
    clock: { now: () => state.at },
    freeBytes: async () => {
      state.asked += 1;
      if (state.free < 0) throw new Error('no such file system');
      return state.free;
    },
    onError: () => {
      state.faults += 1;
    },
  });
  return { state, overload };
};

t.test('a full disk is seen within five seconds, and its end as well', async (t) => {
  const { state, overload } = open();
  await overload.check();
  state.free = 49;
  await overload.check();
  t.equal(state.asked, 1, 'asked once in five seconds');
  state.at += 5_000;
  await t.rejects(overload.check(), { message: /^4\.3\.1 / });
  state.free = 50;
  state.at += 5_000;
  await overload.check();
  state.free = -1;
  state.at += 5_000;
  await overload.check();
  t.equal(state.faults, 1, 'a disk that does not answer is told, and mail is taken');
});

t.test('a store that fails is left alone for a moment, and tried again', async (t) => {
  const { state, overload } = open();
  overload.noteStored(false);
  overload.noteStored(false);
  await overload.check();
  overload.noteStored(true);
  for (let count = 0; count < 3; count++) overload.noteStored(false);
  await t.rejects(overload.check(), { message: /^4\.3\.2 / });
  state.at += 2_000;
  await overload.check();
  overload.noteStored(false);
  await t.rejects(overload.check(), { message: /^4\.3\.2 / }, 'one more failure is enough then');
  state.at += 2_000;
  overload.noteStored(true);
  await overload.check();
});
