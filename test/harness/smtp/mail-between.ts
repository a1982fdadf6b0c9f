/** Mail between two agents of an instance, for tests that ask whether it is still there. */

import type { TestInstance } from '../instance.ts';
import { eventually } from './send-mail.ts';

export const listSubjects = async (instance: TestInstance): Promise<string[]> => {
  const { bob } = instance.agents;
  const { messages } = await instance.client(bob).messages.list({ limit: 100 });
  return messages.map(({ subject }) => subject).reverse();
};

/** From ann to bob; resolves once all have come. */
export const sendBetween = async (instance: TestInstance, subjects: readonly string[]): Promise<void> => {
  const { ann, bob } = instance.agents;
  for (const subject of subjects)
    await instance.client(ann).messages.send({ to: [bob.address], subject, body: subject });
  await eventually(async () => {
    const there = await listSubjects(instance);
    return subjects.every((subject) => there.includes(subject));
  });
};
