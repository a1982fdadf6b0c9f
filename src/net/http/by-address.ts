import { SECOND } from '../../kernel/clock.ts';

/**
 * Node leaves an address that has not answered after 250 ms for the next one, which may be of a family that this machine has
 * not. Long enough for a first packet that was lost: the system repeats it after 1 s.
 */
export const BY_ADDRESS = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 3 * SECOND };
