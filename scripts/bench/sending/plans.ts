/** Plans under which nothing of the gate stands in the way of a load that no agent would send. */

const plan = 'velocity_floor = 100_000_000\nduplicate_recipients = 100_000_000\n';

export const NO_TRIPWIRES = ['free', 'pro', 'unlimited'].map((name) => `[${name}]\n${plan}`).join('');
