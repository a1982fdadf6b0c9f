/** The views of contacts. */

import { Link } from 'wouter-preact';

const TABS = [
  ['/contacts', 'People'],
  ['/contacts/lists', 'Lists'],
  ['/contacts/duplicates', 'Duplicates'],
] as const;

export const ContactsTabs = ({ current }: { current: (typeof TABS)[number][0] }) => (
  <nav class="seg" aria-label="Address book">
    {TABS.map(([path, words]) => (
      <Link key={path} href={path} aria-current={path === current ? 'page' : undefined}>
        {words}
      </Link>
    ))}
  </nav>
);
