/** The header of a held mail, for the recipients' programs; it may differ from the envelope. */

import { plural } from '../components/format.ts';
import { HeaderFields, Recipients } from '../components/mail-parts.tsx';
import { Icon } from '../components/marks.tsx';
import type { HeldDetail } from './why-held.ts';

/** Fields that stand above the mail already. */
const SHOWN = /^(?:from|to|cc|subject|reply-to)$/i;
const NAMED = /^(?:to|cc|bcc)$/i;
const ADDRESS = /[^\s<>,;:"()]+@[^\s<>,;:"()]+/g;

/** Addresses in the header that do not get the mail. */
const onlyNamed = ({ headers, to, cc, bcc }: HeldDetail): string[] => {
  const addressesIn = (text: string): string[] => text.toLowerCase().match(ADDRESS) ?? [];
  const reached = new Set([...to, ...cc, ...bcc].flatMap(addressesIn));
  const named = headers.filter(({ name }) => NAMED.test(name)).flatMap(({ value }) => addressesIn(value));
  return [...new Set(named)].filter((address) => !reached.has(address));
};

/** Every recipient of the mail and of answers. */
export const HeldRecipients = ({ held }: { held: HeldDetail }) => (
  <Recipients
    fields={[
      ['to', held.to],
      ['cc', held.cc],
      ['bcc', held.bcc],
      ['answers go to', held.reply_to],
    ]}
  />
);

/** Empty where the header names only real recipients. */
export const NotReached = ({ held }: { held: HeldDetail }) => {
  const addresses = onlyNamed(held);
  if (addresses.length === 0) return null;
  return (
    <div class="callout warn inset">
      <Icon name="alert" />
      <p>
        <b>Its header names who does not get it:</b> <bdi class="mono">{addresses.join(', ')}</bdi>
      </p>
    </div>
  );
};

/** Open where it has a field that is not shown above the mail. */
export const HeldHeader = ({ headers }: Pick<HeldDetail, 'headers'>) => {
  const others = headers.filter(({ name }) => !SHOWN.test(name)).length;
  return (
    <section class="links" aria-label="Header">
      <details open={others > 0}>
        <summary>
          <Icon name="chev" />
          Header of {plural(headers.length, 'field')}
          {others > 0 && `, ${others} beside those above`}
        </summary>
        <HeaderFields headers={headers} />
      </details>
    </section>
  );
};
