/** The link back to the list, on a phone, where the list is not visible. */

import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from './marks.tsx';

export const BackLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <p class="phone-back">
    <Link href={href}>
      <Icon name="back" />
      {children}
    </Link>
  </p>
);
