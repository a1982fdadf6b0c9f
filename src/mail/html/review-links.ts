/** Lists the targets of an HTML part's links for the approval of held mail: a link's text may hide its target. */

import { domainToASCII } from 'node:url';
import { toNormalForm } from '../../kernel/text/normal-form.ts';
import { cleanHref } from './anchors.ts';
import { MAX_HTML, walkHtml } from './walk-html.ts';

export interface ReviewedLink {
  /** The text of the link, blanks folded; '' where it has none. */
  label: string;
  /** The target, with the host in ASCII (RFC 5891); as written where it is no absolute address. */
  address: string;
  /** The host of a web address, or the domain of a mail address. */
  host: string | null;
  /** Whether the label says less, or other, than the address. */
  differs: boolean;
  /** Whether the label names a host that it does not lead to. */
  misleads: boolean;
}

export interface ReviewedLinks {
  /** Each label and address once, in order. */
  links: ReviewedLink[];
  /** Links beyond the limit. */
  more: number;
  /** Whether the whole part was read. */
  isWhole: boolean;
}

const MAX_LINKS = 200;
const MAX_LABEL = 300;
const MAX_ADDRESS = 2_000;

const HOST_LIKE = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?[.。])+[\p{L}][\p{L}\p{N}-]*[\p{L}\p{N}]/gu;
const FILE = /\.(?:pdf|docx?|xlsx?|pptx?|odt|png|jpe?g|gif|svg|txt|csv|html?|ics)$/i;

const hostOf = ({ protocol, hostname, pathname }: URL): string | null => {
  if (protocol !== 'mailto:') return hostname || null;
  const domain = pathname.split('@').at(-1) ?? '';
  return domainToASCII(domain) || null;
};

const isOf = (host: string, named: string): boolean =>
  host === named || host.endsWith(`.${named}`) || named.endsWith(`.${host}`);

/** Signs that are not displayed: soft hyphens, zero-width ones and the other default-ignorable ones. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Removes what is not displayed: such signs, and repeated blanks. */
const squeeze = (text: string): string => text.replace(IGNORED, '').replace(/\s+/g, ' ');

/** Folds signs that look alike: fullwidth signs, other full stops, and signs that are not displayed. */
const fold = (text: string): string => squeeze(toNormalForm(text, 'NFKC').replace(/[\u3002\uff0e\uff61]/g, '.')).trim();

/** An address without the parts that do not change its target. */
const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:)/, '')
    .replace(/\/$/, '');

const review = (label: string, written: string): ReviewedLink => {
  const url = URL.parse(written);
  const address = (url?.href ?? written).slice(0, MAX_ADDRESS);
  const host = url && hostOf(url);
  const named = [...fold(label).matchAll(HOST_LIKE)].map(([text]) => text).filter((text) => !FILE.test(text));
  return {
    label,
    address,
    host,
    differs: bare(label) !== bare(address),
    misleads: named.some((text) => {
      const ascii = domainToASCII(text.toLowerCase());
      return ascii !== '' && (host === null || !isOf(host, ascii));
    }),
  };
};

/** Linear in the input, with a bounded result; never throws. @param html in the small language of outgoing mail */
export const reviewLinks = (html: string): ReviewedLinks => {
  const links = new Map<string, ReviewedLink>();
  const beyond = new Set<string>();
  let open: { address: string; label: string } | null = null;
  const write = (text: string): void => {
    // Folds before it cuts, so that undisplayed signs do not push displayed ones beyond the limit.
    if (open && open.label.length < MAX_LABEL) {
      open.label = squeeze(`${open.label}${text}`).trimStart().slice(0, MAX_LABEL);
    }
  };
  const add = (text: string, address: string): void => {
    const label = squeeze(text).trim().slice(0, MAX_LABEL);
    const key = `${label}\0${address}`;
    if (links.has(key)) return;
    if (links.size < MAX_LINKS) links.set(key, review(label, address));
    else beyond.add(key);
  };
  walkHtml(html, {
    open: (name, attributes) => {
      if (name === 'img') write(` ${attributes.get('alt') ?? ''} `);
      const address = name === 'a' ? cleanHref(attributes.get('href') ?? '') : '';
      if (address !== '') open = { address, label: '' };
    },
    close: (name) => {
      if (name !== 'a' || !open) return;
      add(open.label, open.address);
      open = null;
    },
    text: write,
  });
  return { links: [...links.values()], more: beyond.size, isWhole: html.length <= MAX_HTML };
};
