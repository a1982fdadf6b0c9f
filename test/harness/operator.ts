/** Operations as the operator, on the data file of a running instance: what the command line does, within this process. */

import { openInstance } from '../../src/app/instance.ts';
import { type CallOperation, createOperatorCalls } from '../../src/app/operator-calls.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { type ActView, activityContract } from '../../src/resources/activity/contract.ts';
import { type ManagedSecretView, secretsContract } from '../../src/resources/secrets/contract.ts';
import type { SecretType } from '../../src/store/vault/secrets.ts';
import type { TestInstance } from './instance.ts';

export const asOperator = async <T>(
  { config }: Pick<TestInstance, 'config'>,
  work: (call: CallOperation) => Promise<T>,
): Promise<T> => {
  const instance = await openInstance(config);
  const { call, close } = createOperatorCalls(instance, 'cli:test');
  try {
    return await work(call);
  } finally {
    await close();
    await instance.close();
  }
};

/** What the operation was refused with; throws where it was not. */
export const operatorRefusal = async (
  instance: Pick<TestInstance, 'config'>,
  work: (call: CallOperation) => Promise<unknown>,
): Promise<ApiError> => {
  try {
    await asOperator(instance, work);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
};

/** Newest first, up to 500. */
export const listActs = (instance: TestInstance, workspace?: string): Promise<ActView[]> =>
  asOperator(instance, async (call) => (await call(activityContract.list, { workspace, limit: 500 })).activity);

export const addSecret = (
  instance: TestInstance,
  name: string,
  type: SecretType,
  value: Record<string, string>,
  more: { tags?: string[]; grants?: string[]; workspace?: string } = {},
): Promise<ManagedSecretView> =>
  asOperator(instance, (call) => call(secretsContract.add, { workspace: 'acme', name, type, value, ...more }));
