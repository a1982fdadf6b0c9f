/** Links of a page: what is said of them, and how they stand in its text. */

export interface Anchor {
  href: string;
  /** What a person sees of it, blanks folded. */
  label: string;
}

/** Of a page; the rest are footers. */
export const MAX_ANCHORS = 500;
const MAX_URL = 2048;
export const MAX_LABEL = 300;
/** Characters of an address that is shown in a text: longer ones are made for machines, and `html` has them whole. */
const MAX_SHOWN = 100;

/** What a browser takes off before it reads an address (URL standard, section 4.4). */
export const cleanHref = (href: string): string =>
  href.replace(/[\t\r\n]+/g, '').replace(/^[\0-\x20]+|[\0-\x20]+$/g, '');

export const isWebAddress = (href: string): boolean => href.length <= MAX_URL && /^https?:\/\/[^/]/i.test(href);

/** An address as it is shown: whole where it is short, else its host. */
const shortAddress = (href: string): string =>
  href.length <= MAX_SHOWN ? href : (/^https?:\/\/[^/?#]{1,80}/i.exec(href)?.[0] ?? '').concat('/…');

const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:)(?:www\.)?/, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '');

/**
 * What of an address is said behind its label: nothing where the label says it, or where it leads nowhere.
 * @param whole whether long ones are not shortened
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
  return bare(label).includes(bare(isMail ? shown : href)) ? null : shown;
};
