/** Parts of a mail for several screens: text, files, recipients. All of their content is untrusted. */

/** Paragraphs as they were written: line ends stay. */
export const MailText = ({ text }: { text: string }) => (
  <>
    {text
      .trim()
      .split(/\n\s*\n/)
      .map((paragraph, at) => (
        <p class="written" dir="auto" key={at}>
          {paragraph}
        </p>
      ))}
  </>
);

/** `Name <a@b>` as its two parts. */
export const splitAddress = (named: string): { name: string | null; address: string } => {
  const match = /^(.*?)\s*<([^<>]+)>$/s.exec(named);
  if (!match) return { name: null, address: named };
  const name = (match[1] ?? '')
    .replace(/^"(.*)"$/s, '$1')
    .replace(/\\(.)/g, '$1')
    .trim();
  return { name: name === '' ? null : name, address: match[2] ?? named };
};

/** The name of whom a found mail is from, or else to; the address where there is none. */
export const otherSideOf = ({
  direction,
  from,
  to,
}: {
  direction: 'in' | 'out';
  from: string;
  to: readonly string[];
}) => {
  const { name, address } = splitAddress(direction === 'in' ? from : (to[0] ?? ''));
  return name ?? address;
};

/** The author: the name in quotes and the address in mono. */
export const Author = ({ named, isOwn }: { named: string; isOwn?: string }) => {
  const { name, address } = splitAddress(named);
  return (
    <span class="author">
      {(isOwn ?? name) !== null && (
        <>
          <b class="strong">
            <bdi>{isOwn ?? name}</bdi>
          </b>{' '}
        </>
      )}
      <span class={name === null && isOwn === undefined ? 'strong mono' : 'addr mono'}>{address}</span>
    </span>
  );
};

export interface HeaderField {
  name: string;
  value: string;
}

export const HeaderFields = ({ headers }: { headers: readonly HeaderField[] }) => (
  <dl class="facts headers">
    {headers.map(({ name, value }, at) => (
      <div key={at}>
        <dt>{name}</dt>
        <dd class="mono">
          <bdi>{value}</bdi>
        </dd>
      </div>
    ))}
  </dl>
);

/** Each recipient under its field; none is left out. */
export const Recipients = ({ fields }: { fields: readonly (readonly [label: string, all: readonly string[]])[] }) => (
  <>
    {fields
      .filter(([, all]) => all.length > 0)
      .map(([label, all]) => (
        <p key={label} class="recipients">
          {label}{' '}
          {all.map((each, at) => (
            <span key={each}>
              <bdi>{each}</bdi>
              {at < all.length - 1 ? ', ' : ''}
            </span>
          ))}
        </p>
      ))}
  </>
);
