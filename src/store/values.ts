/** How values of the domain stand in columns. */

export { idFromBytes as fromBlob, idToBytes as toBlob } from '../kernel/ids.ts';

export const toFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);
