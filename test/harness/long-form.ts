/** Whether tests run in their long forms, as `npm run nightly` has them. */
export const isLong = process.env.POSTROOM_TEST_LONG === '1';

/** One in so many of a corpus is tried for every change. */
const ONE_IN = 4;

/** All of a corpus in the long form; else a part of it, the same each time, the first among them. */
export const someOf = <T>(all: readonly T[], oneIn = ONE_IN): T[] => all.filter((_, at) => isLong || at % oneIn === 0);

/** All in the long form; else the few that differ in what they show. */
export const orFew = <T>(all: readonly T[], few: readonly T[]): readonly T[] => (isLong ? all : few);

/** How often something is repeated. */
export const rounds = (short: number, long: number): number => (isLong ? long : short);

/** For a test's `skip`: what is tried at night alone, because a shorter test shows most of it. */
export const atNight: false | string = isLong ? false : 'in the long form: npm run nightly';
