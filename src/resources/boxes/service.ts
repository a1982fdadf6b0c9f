/** The boxes resource. The store's engine knows the boxes, and tells the one that serves. */

import { isOfOperator, isOperator } from '../../access/operator-owners.ts';
import type { Address } from '../../kernel/address.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { Box, DataFiles } from '../../store/data-files.ts';
import type { Store } from '../../store/store.ts';
import type { boxesContract } from './contract.ts';

export interface BoxesNeeds {
  store: Store;
  boxes: Pick<DataFiles, 'boxes' | 'handOver'>;
  /** Null where the config names none. */
  operatorAddress: Address | null;
}

export const toBoxView = ({ isServing, since, ...box }: Box) => ({
  ...box,
  state: isServing ? ('serving' as const) : ('standing by' as const),
  since: isoTime(since),
});

export const createBoxes = ({ store, boxes, operatorAddress }: BoxesNeeds): Handlers<typeof boxesContract> => ({
  list: async (caller) => {
    const listed = (await isOfOperator(store, caller)) ? await boxes.boxes() : null;
    return { boxes: listed?.map(toBoxView) ?? null, may_drain: isOperator(operatorAddress, caller) };
  },

  drain: async (caller, { box: name }, { record }) => {
    const isOwner = caller.kind === 'owner';
    if (isOwner && !((await isOfOperator(store, caller)) && isOperator(operatorAddress, caller))) {
      throw new ApiError('insufficient_scope', { hint: 'This is for the operator of the instance.' });
    }
    const all = await boxes.boxes();
    const serving = all?.find(({ isServing }) => isServing);
    if (!serving || !all?.some(({ isServing }) => !isServing)) {
      const hint =
        all === null ? 'The data is in a file, which has one box: there is none to hand over to.' : undefined;
      throw new ApiError('no_box_stands_by', hint === undefined ? {} : { hint });
    }
    if (name !== undefined && name !== serving.name) throw new ApiError('box_not_serving', { fields: { box: name } });
    const act = { workspaceId: isOwner ? caller.workspaceId : null, subject: serving.name };
    const recorded = await store.write((tx) => record(tx, act, toBoxView(serving)));
    await boxes.handOver();
    return recorded;
  },
});
