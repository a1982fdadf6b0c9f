/** The screens that pictures are taken of, and what is pressed before. */

import type { Page } from 'playwright-core';

export interface Pictured {
  name: string;
  path: string;
  prepare?: (page: Page, isPhone: boolean) => Promise<void>;
  /** Whether the phone's is also taken as a whole. */
  isWhole?: boolean;
}

export const SCREENS: readonly Pictured[] = [
  { name: 'home', path: '/console/', isWhole: true },
  {
    name: 'home-table',
    path: '/console/',
    prepare: (page) => page.getByRole('button', { name: 'As a table' }).click(),
  },
  { name: 'approvals', path: '/console/approvals', isWhole: true },
  {
    name: 'approvals-differing',
    path: '/console/approvals',
    prepare: async (page, isPhone) => {
      for (let n = 0; n < 2; n += 1) await page.getByRole('button', { name: 'Next', exact: true }).click();
      if (isPhone) await page.waitForTimeout(200);
    },
  },
  {
    name: 'approvals-decided',
    path: '/console/approvals',
    prepare: (page) => page.getByRole('button', { name: 'Decided' }).click(),
  },
  { name: 'inbox', path: '/console/mail' },
  { name: 'inbox-search', path: '/console/mail?q=invoice' },
  {
    name: 'approvals-edit',
    path: '/console/approvals',
    prepare: (page) => page.getByRole('button', { name: 'Edit', exact: true }).click(),
  },
  { name: 'agent-day', path: '/console/agents/billing/day', isWhole: true },
  { name: 'mail', path: '/console/agents/billing' },
  {
    name: 'mail-reply',
    path: '/console/agents/billing',
    prepare: async (page) => {
      await page.getByRole('link', { name: /Access to the supplier portal/ }).click();
      await page.getByText('One-time code found').waitFor();
      await page.keyboard.press('r');
    },
  },
  {
    name: 'mail-thread',
    path: '/console/agents/billing',
    prepare: async (page) => {
      await page.getByRole('link', { name: /Access to the supplier portal/ }).click();
      await page.getByText('One-time code found').waitFor();
    },
    isWhole: true,
  },
  {
    name: 'mail-doubtful',
    path: '/console/agents/billing',
    prepare: (page) =>
      page
        .getByRole('link', { name: /New bank details/ })
        .first()
        .click(),
  },
  {
    name: 'mail-search',
    path: '/console/agents/billing',
    prepare: async (page) => {
      await page.getByRole('searchbox', { name: 'Search mail' }).fill('invoice');
      await page.getByRole('navigation', { name: 'Found messages' }).waitFor();
    },
  },
  {
    name: 'mail-deliveries',
    path: '/console/agents/support',
    prepare: (page) => page.getByRole('link', { name: /88112/ }).first().click(),
  },
  { name: 'vault', path: '/console/vault' },
  {
    name: 'vault-secret',
    path: '/console/vault',
    prepare: (page) => page.getByRole('link', { name: /Nordkai/ }).click(),
    isWhole: true,
  },
  {
    name: 'vault-new',
    path: '/console/vault',
    prepare: (page) => page.getByRole('button', { name: 'New secret' }).click(),
  },
  {
    name: 'vault-shown',
    path: '/console/vault',
    prepare: async (page) => {
      await page.getByRole('link', { name: /Nordkai/ }).click();
      await page.getByRole('button', { name: /Show the password/ }).click();
      await page.getByText('correct horse').waitFor();
      await page.getByRole('button', { name: /Show the one-time code/ }).click();
      await page.getByRole('button', { name: 'Copy the code' }).waitFor();
    },
  },
  { name: 'contacts', path: '/console/contacts' },
  {
    name: 'contact',
    path: '/console/contacts',
    prepare: (page) => page.getByRole('link', { name: /Ines Halvorsen/ }).click(),
    isWhole: true,
  },
  {
    name: 'contact-edit',
    path: '/console/contacts',
    prepare: async (page) => {
      await page.getByRole('link', { name: /Ines Halvorsen/ }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
    },
  },
  {
    name: 'contacts-export',
    path: '/console/contacts',
    // A phone has no room for it.
    prepare: async (page, isPhone) => {
      if (!isPhone) await page.getByRole('button', { name: 'Export' }).click();
    },
  },
  { name: 'contacts-duplicates', path: '/console/contacts/duplicates' },
  {
    name: 'contacts-list',
    path: '/console/contacts/lists',
    prepare: (page) => page.getByRole('link', { name: /Bergen/ }).click(),
  },
  {
    name: 'contacts-import',
    path: '/console/contacts/import',
    prepare: async (page) => {
      await page
        .getByLabel('Or paste')
        .fill(
          'email,name,company\nines@nordkai.test,Ines Halvorsen,Nordkai\nliv@fjord.test,Liv Dahl,Fjord Bygg\nnot an address,Someone,\nole@fjord.test,Ole Berg,Fjord Bygg\nole@fjord.test,Ole Berg,',
        );
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('What the import does').waitFor();
    },
    isWhole: true,
  },
  {
    name: 'notes',
    path: '/console/notes',
    prepare: (page) => page.getByRole('link', { name: /Trade fair/ }).click(),
  },
  { name: 'knowledge', path: '/console/knowledge', isWhole: true },
  {
    name: 'knowledge-asked',
    path: '/console/knowledge',
    prepare: async (page) => {
      await page.getByRole('searchbox').fill('How long do parcels to Bergen take?');
      await page.getByText('best first').waitFor();
    },
  },
  {
    name: 'knowledge-add',
    path: '/console/knowledge',
    prepare: (page) => page.getByRole('button', { name: 'Add source' }).click(),
  },
  { name: 'webhooks', path: '/console/webhooks' },
  {
    name: 'webhook',
    path: '/console/webhooks',
    prepare: async (page) => {
      await page.getByRole('link', { name: /hooks.halden.test.postroom/ }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('It was not taken').waitFor();
    },
    isWhole: true,
  },
  {
    name: 'webhook-new',
    path: '/console/webhooks',
    prepare: (page) => page.getByRole('button', { name: 'New webhook' }).click(),
  },
  { name: 'suppressions', path: '/console/suppressions' },
  { name: 'connections', path: '/console/connections' },
  { name: 'plan', path: '/console/plan' },
  {
    name: 'instance',
    path: '/console/instance',
    prepare: async (page) => {
      const examine = page.getByRole('button', { name: 'Examine now' });
      await examine.click();
      await page
        .getByText(/Examined/)
        .or(page.getByText('Wait'))
        .first()
        .waitFor();
    },
    isWhole: true,
  },
  { name: 'health', path: '/console/health', isWhole: true },
  { name: 'domains', path: '/console/domains' },
  { name: 'domain', path: '/console/domains/halden.test', isWhole: true },
  { name: 'agents', path: '/console/agents' },
  { name: 'agent-new', path: '/console/agents?new' },
  { name: 'agent-settings', path: '/console/agents/billing/settings', isWhole: true },
  { name: 'queue', path: '/console/queue' },
  { name: 'people', path: '/console/people' },
  { name: 'activity', path: '/console/activity' },
  {
    name: 'activity-filtered',
    path: '/console/activity',
    prepare: async (page) => {
      await page.getByLabel('Action').selectOption('secret');
    },
  },
  { name: 'you', path: '/console/you', isWhole: true },
  {
    name: 'palette',
    path: '/console/',
    prepare: (page) => page.keyboard.press('Control+k'),
  },
  {
    name: 'palette-found',
    path: '/console/',
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('invoice');
      await page.getByRole('option').first().waitFor();
    },
  },
  { name: 'keys', path: '/console/approvals', prepare: (page) => page.keyboard.press('?') },
  {
    name: 'drawer',
    path: '/console/',
    prepare: async (page, isPhone) => {
      if (isPhone) await page.getByRole('button', { name: 'More' }).click();
    },
  },
  // The workspace that it names stays shown: the last.
  {
    name: 'first-run',
    path: '/console/?workspace=fresh',
    prepare: async (page) => {
      // The person has put the list away.
      await page.route('**/console/api/session/get', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), set_up_away: false } });
      });
      await page.reload();
      await page.getByText(/of \d done/).waitFor();
    },
    isWhole: true,
  },
];
