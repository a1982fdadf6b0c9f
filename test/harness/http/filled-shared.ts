/** What the agents of a filled console share: contacts, a list, notes, knowledge, webhooks, suppressions, a connection. */

import { contracts } from '../../../src/resources/contracts.ts';
import type { TestAgent, TestInstance } from '../instance.ts';
import { createLibrarian } from '../knowledge.ts';
import { asOperator } from '../operator.ts';

const { suppressions } = contracts;

const PEOPLE: readonly (readonly [given: string, family: string, company: string, title: string])[] = [
  ['Ines', 'Halvorsen', 'Nordkai AS', 'Key accounts'],
  ['Olav', 'Brekke', 'Nordkai AS', 'Accounts payable'],
  ['Kari', 'Lunde', 'Moss Logistikk', 'Site manager'],
  ['Amalie', 'Vik', '', ''],
  ['Per', 'Solheim', '', ''],
  ['Jon', 'Eide', 'Tidewater Lines', 'Port agent'],
  ['Maria', 'Novak', 'Novak Interiors', 'Owner'],
];

const NOTES: readonly (readonly [title: string | null, body: string])[] = [
  [
    'Trade fair in Bergen',
    'We have stand 12, from Tuesday on.\n\nKari brings the racking samples; the van is booked for Monday.',
  ],
  [null, 'Tidewater charges demurrage from the third day on. Ask for the fifth day free: they agreed in May.'],
  [
    'How we answer complaints',
    'First the order number, then what happens next, then by when. No discount without sales.',
  ],
];

const SHIPPING = `# Shipping

We ship on Tuesdays and Fridays. Orders that come before noon leave the same day.

## Bergen

Parcels to Bergen take two days. Pallets take four, and need a dock.

## Returns

A return is free within 30 days. The label is in the box.
`;

/** @param agents of the workspace `slug` */
export const fillShared = async (
  instance: TestInstance,
  slug: string,
  { billing, support }: Record<'billing' | 'support', TestAgent>,
): Promise<void> => {
  const { contacts, contactLists, identity, webhooks } = instance.client(billing);
  const ids: string[] = [];
  for (const [given_name, family_name, company, title] of PEOPLE) {
    const made = await contacts.create({
      ...{ given_name, family_name, company_name: company || null, job_title: title || null },
      channels: [
        { kind: 'email', value: `${given_name.toLowerCase()}@nordkai.test`, label: 'work' },
        ...(company === '' ? [] : [{ kind: 'phone' as const, value: `+47 22 00 41 6${ids.length}`, label: null }]),
      ],
      domains: company === 'Nordkai AS' ? ['nordkai.test'] : [],
    });
    if ('id' in made) ids.push(made.id);
  }
  const [ines = ''] = ids;
  await contacts.remember({ id: ines, fact: 'Sends codes for the portal; they hold for fifteen minutes.' });
  await contacts.remember({ id: ines, fact: 'Away on Fridays. Olav stands in for her.' });
  await contacts.create({
    ...{ given_name: 'I.', family_name: 'Halvorsen', job_title: 'Key account manager' },
    channels: [{ kind: 'email', value: 'ines@nordkai.test', label: null }],
  });
  const customers = await contactLists.create({
    name: 'Customers in Bergen',
    description: 'Told of the stand at the fair.',
  });
  await contactLists.addMembers({ id: customers.id, contact_ids: ids.slice(0, 4) });
  await contactLists.create({ name: 'Board' });
  for (const [title, body] of NOTES) await instance.client(support).notes.create({ title, body });
  const librarian = createLibrarian(instance, billing);
  await librarian.addAndSettle({ kind: 'text', title: 'Shipping and returns', body: SHIPPING });
  instance.dns.zone.set('hooks.halden.test', 'A', ['127.0.0.1']);
  await webhooks.create({
    mailbox_id: (await identity.get()).mailbox_id,
    url: 'https://hooks.halden.test/postroom?k=4',
    events: ['message.received', 'message.bounced'],
  });
  const ofSupport = instance.client(support);
  await ofSupport.webhooks.create({
    mailbox_id: (await ofSupport.identity.get()).mailbox_id,
    url: 'https://hooks.halden.test/crm',
    events: ['message.delivered'],
  });
  await asOperator(instance, async (call) => {
    for (const address of ['j.moe@fjellbygg.test', 'no-thanks@remote.test'])
      await call(suppressions.add, { workspace: slug, address });
  });
};
