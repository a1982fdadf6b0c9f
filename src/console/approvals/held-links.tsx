/** The targets of a held mail's links, as text that cannot be clicked. */

import type { Answer } from '../api/client.ts';
import { count, plural } from '../components/format.ts';
import { Badge, Icon } from '../components/marks.tsx';

type Link = Answer<'heldParts', 'links'>['links'][number];

/** With its host in bold; the host is the last thing before the path that stands behind an @. */
const Address = ({ link: { address, host } }: { link: Link }) => {
  const end = /^[a-z][a-z0-9+.-]*:(?:\/\/)?[^/?#]*/i.exec(address)?.[0].length ?? 0;
  const at = host === null ? -1 : address.slice(0, end).toLowerCase().lastIndexOf(host);
  if (host === null || at < 0) return <span class="mono">{address}</span>;
  return (
    <span class="mono">
      {address.slice(0, at)}
      <b>{address.slice(at, at + host.length)}</b>
      {address.slice(at + host.length)}
    </span>
  );
};

const Links = ({ links }: { links: readonly Link[] }) => (
  <ul>
    {links.map((link) => (
      <li key={`${link.label} ${link.address}`}>
        {link.label === '' ? <span class="dim">No text</span> : <bdi>“{link.label}”</bdi>}{' '}
        <span class="dim">leads to</span> <Address link={link} />{' '}
        {link.misleads && <Badge mark="bad">names another host</Badge>}
      </li>
    ))}
  </ul>
);

type Reviewed = Omit<Answer<'heldParts', 'links'>, 'has_html'>;

export const HeldLinks = ({ links, more, is_whole }: Reviewed) => {
  const differing = links.filter(({ differs }) => differs).toSorted((a, b) => +b.misleads - +a.misleads);
  const plain = links.filter(({ differs }) => !differs);
  if (links.length === 0 && is_whole) return null;
  return (
    <section class="links" aria-label="Where its links lead">
      {differing.length > 0 && (
        <>
          <h2>Where its links lead</h2>
          <Links links={differing} />
        </>
      )}
      {plain.length > 0 && (
        <details>
          <summary>
            <Icon name="chev" />
            {plural(plain.length, 'link')} {plain.length === 1 ? 'leads' : 'lead'} where{' '}
            {plain.length === 1 ? 'it says' : 'they say'}
          </summary>
          <Links links={plain} />
        </details>
      )}
      {more > 0 && <p class="warn">{count(more)} more are not listed; the raw source has them.</p>}
      {!is_whole && <p class="warn">The HTML part is too long to list all of its links; the raw source has them.</p>}
    </section>
  );
};
