/** The boxes resource. The store's engine knows the boxes, and tells the one that leads. */

import { isOfOperator, isOperator } from '../../access/operator-owners.ts';
import { isoTime, SECOND } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import type { Box } from '../../store/data-files.ts';
import type { Needs } from '../needs.ts';
import type { boxesContract } from './contract.ts';

export const toBoxView = ({ since, silentMs, ...box }: Box) => ({
  ...box,
  since: isoTime(since),
  silent_seconds: Math.floor(silentMs / SECOND),
});

export const createBoxes = ({
  store,
  boxes,
  operatorAddress,
}: Needs<'store' | 'boxes' | 'operatorAddress'>): Handlers<typeof boxesContract> => ({
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
    const leading = all?.find(({ state }) => state === 'leading');
    if (!leading || !all?.some(({ state }) => state !== 'leading')) {
      const hint =
        all === null ? 'The data is in a file, which has one box: there is none to hand over to.' : undefined;
      throw new ApiError('no_other_box', hint === undefined ? {} : { hint });
    }
    if (name !== undefined && name !== leading.name) throw new ApiError('box_not_leading', { fields: { box: name } });
    const act = { workspaceId: isOwner ? caller.workspaceId : null, subject: leading.name };
    const recorded = await store.write((tx) => record(tx, act, toBoxView(leading)));
    await boxes.handOver();
    return recorded;
  },
});
