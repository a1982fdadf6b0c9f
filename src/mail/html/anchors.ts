/** Links of a page: their labels, and the form in which the text includes their addresses. */

export interface Anchor {
  href: string;
  /** The visible text of the link, blanks folded. */
  label: string;
}

/** Per page; links beyond are footers. */
export const MAX_ANCHORS = 500;
const MAX_URL = 2048;
export const MAX_LABEL = 300;
/** Characters of an address that a text includes in full: longer ones are tracking links. */
export const MAX_SHOWN = 100;

/** Strips what a browser ignores in an address (URL standard, section 4.4). */
export const cleanHref = (href: string): string =>
  href.replace(/[\t\r\n]+/g, '').replace(/^[\0-\x20]+|[\0-\x20]+$/g, '');

export const isWebAddress = (href: string): boolean => href.length <= MAX_URL && /^https?:\/\/[^/]/i.test(href);

/** Returns a short address in full, and the host of a longer one. */
const shortAddress = (href: string): string =>
  href.length <= MAX_SHOWN ? href : (/^https?:\/\/[^/?#]{1,80}/i.exec(href)?.[0] ?? '').concat('/…');

const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:)(?:www\.)?/, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '');

/** As Markdown renderers write other characters than ASCII in an address. */
const decoded = (address: string): string => {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
};

/**
 * Returns the address to append to a link's label; null where the label contains it, or it is not a web or mail
 * address.
 * @param whole whether long addresses stay in full
 */
export const addressBehind = ({ href, label }: Anchor, whole: boolean): string | null => {
  if (label === '') return null;
  const isMail = /^mailto:[^?]{3,254}/i.exec(href);
  const shown = isMail
    ? isMail[0].slice('mailto:'.length)
    : isWebAddress(href)
      ? whole
        ? href
        : shortAddress(href)
      : null;
  if (shown === null || /\s/.test(shown)) return null;
  const address = isMail ? shown : href;
  return [address, decoded(address)].some((each) => bare(label).includes(bare(each))) ? null : shown;
};
