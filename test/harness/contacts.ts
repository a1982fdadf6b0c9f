/** One contact by the typed client, whose operation also takes vCards and then answers otherwise. */

import type { createClient } from '../../src/client/client.ts';

type Contacts = ReturnType<typeof createClient>['contacts'];

export const createContact = async (
  { contacts }: { contacts: Contacts },
  input: Parameters<Contacts['create']>[0],
): Promise<Exclude<Awaited<ReturnType<Contacts['create']>>, { failed: unknown }>> => {
  const reply = await contacts.create(input);
  if ('failed' in reply) throw new Error('An import answers one contact.');
  return reply;
};
