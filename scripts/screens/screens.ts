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
  { name: 'mail', path: '/console/agents/billing' },
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
  { name: 'domains', path: '/console/domains' },
  { name: 'domain', path: '/console/domains/halden.test', isWhole: true },
  { name: 'agents', path: '/console/agents' },
  { name: 'agent-new', path: '/console/agents?new' },
  { name: 'agent-settings', path: '/console/agents/billing/settings', isWhole: true },
  { name: 'queue', path: '/console/queue' },
  { name: 'people', path: '/console/people' },
  { name: 'activity', path: '/console/activity' },
  { name: 'you', path: '/console/you' },
  {
    name: 'palette',
    path: '/console/',
    prepare: (page) => page.keyboard.press('Control+k'),
  },
  { name: 'keys', path: '/console/approvals', prepare: (page) => page.keyboard.press('?') },
  {
    name: 'drawer',
    path: '/console/',
    prepare: async (page, isPhone) => {
      if (isPhone) await page.getByRole('button', { name: 'More' }).click();
    },
  },
];
