/** Refuses vCards that make no contact. */

import { ApiError } from '../../../kernel/errors.ts';
import type { CardFailureView } from '../contract.ts';

const hintOfFailures = (failed: readonly CardFailureView[]): string | undefined => {
  if (failed.length === 0) return 'The text holds no vCard: one begins with BEGIN:VCARD and ends with END:VCARD.';
  if (failed.every(({ reason }) => reason === 'exists'))
    return 'Every vCard of the text is a contact there is already.';
  if (failed.some(({ reason }) => reason === 'exists'))
    return 'Every vCard that is usable is a contact there is already; `failed` says why of each.';
  return undefined;
};

/** @throws ApiError no_valid_cards where none was created */
export const requireCreated = (created: number, failed: readonly CardFailureView[]): void => {
  if (created > 0) return;
  const hint = hintOfFailures(failed);
  throw new ApiError('no_valid_cards', { fields: { failed }, ...(hint !== undefined && { hint }) });
};
