/** A browser and an instance for the tests of a file: started before its first test, stopped after its last. */

import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { type Chromium, launchChromium, type Visitor } from '../harness/http/chromium.ts';
import { FILLED, type FilledConsole, fillConsole, SLUG } from '../harness/http/filled-console.ts';
import { type InstanceOptions, startInstance, type TestInstance } from '../harness/instance.ts';
import { goTo, settled, signInTo } from './fit.ts';

const MINUTE = 60_000;

type OfFile = Pick<Test, 'before' | 'teardown' | 'test'>;
type VisitorOptions = Parameters<Chromium['open']>[0];

interface StartOptions extends InstanceOptions {
  /** The workspace that is shown. */
  slug?: string;
  /** What else is done before the first test. */
  prepare?: (instance: TestInstance) => Promise<void>;
}

export const startConsole = (file: OfFile, { slug = 'acme', prepare, ...options }: StartOptions = {}) => {
  let chromium: Chromium;
  let instance: TestInstance;
  file.before(async () => {
    [chromium, instance] = await Promise.all([launchChromium(), startInstance(options)]);
    await prepare?.(instance);
  });
  file.teardown(() => Promise.all([chromium[Symbol.asyncDispose](), instance[Symbol.asyncDispose]()]));
  const at = (path: string): string => new URL(path, instance.baseUrl).href;
  const signIn = (of: VisitorOptions = {}): Promise<Visitor> => signInTo(chromium, instance, of, slug);
  let visitor: Promise<Visitor> | null = null;
  const person = (of?: VisitorOptions): Promise<Visitor> => {
    visitor ??= signIn(of);
    return visitor;
  };
  const go = (page: Page, path: string): Promise<void> => goTo(page, at(path));
  return {
    get chromium() {
      return chromium;
    },
    get instance() {
      return instance;
    },
    at,
    /** Signs in by a printed link. */
    signIn,
    /** One person for the tests of the file, signed in once: another one, and their first page, cost half a second. */
    person,
    /** A test on the page of that person, from a screen on; what went wrong in the page is found at its end. */
    flow: (name: string, screen: string, run: (t: Test, page: Page) => Promise<void>): void =>
      void file.test(name, async (t) => {
        const { page, faults } = await person();
        await go(page, `/console/${screen}`);
        await run(t, page);
        t.same(faults, []);
      }),
    /** Goes to a path, and waits until nothing there is loading. */
    visit: async (page: Page, path: string): Promise<void> => {
      await page.goto(at(path));
      await settled(page);
    },
    /** As `visit`, without loading the console where the page shows it already. */
    go,
  };
};

/** A console with mail, people and all else of a company in it. */
export const startFilledConsole = (t: OfFile) => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  let filled: FilledConsole;
  const prepare = async (instance: TestInstance): Promise<void> => {
    filled = await fillConsole(instance);
  };
  const started = startConsole(t, { ...FILLED, runtime: { clock }, slug: SLUG, prepare });
  return Object.assign(started, {
    filled: () => filled,
    /** A browser asks more of it in a minute here than a person does. */
    passTime: (): void => {
      clock.ahead += MINUTE / 4;
    },
  });
};
