/** The memory that this process may take. */

import { totalmem } from 'node:os';

/** Of the machine, or of the control group that it is in, in octets. */
export const machineMemory = (): number => {
  const ofGroup = process.constrainedMemory();
  return ofGroup > 0 ? Math.min(ofGroup, totalmem()) : totalmem();
};
