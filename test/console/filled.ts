/** A browser and a filled console for the tests of a file. */

import type { Test } from 'tap';
import { type Chromium, launchChromium } from '../harness/http/chromium.ts';
import { FILLED, fillConsole } from '../harness/http/filled-console.ts';
import { startInstance, type TestInstance } from '../harness/instance.ts';

const MINUTE = 60_000;

/** Started before the first test of the file, and stopped after its last. */
export const openFilled = (t: Pick<Test, 'before' | 'teardown'>) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  let chromium: Chromium;
  let instance: TestInstance;
  t.before(async () => {
    [chromium, instance] = await Promise.all([launchChromium(), startInstance({ ...FILLED, runtime: { clock } })]);
    await fillConsole(instance);
  });
  t.teardown(() => Promise.all([chromium[Symbol.asyncDispose](), instance[Symbol.asyncDispose]()]));
  return {
    get chromium() {
      return chromium;
    },
    get instance() {
      return instance;
    },
    /** A browser asks more of it in a minute here than a person does. */
    passTime: (): void => {
      clock.ahead += MINUTE / 4;
    },
  };
};
