/** Lists where the links of an HTML part lead, for approval of held mail: what a link reads as need not say it. */

import { domainToASCII } from 'node:url';
import { cleanHref } from './anchors.ts';
import type { Attributes } from './nesting.ts';
import { MAX_HTML, walkHtml } from './walk-html.ts';

export interface ReviewedLink {
  /** The text of the link, blanks folded; '' where it has none. */
  label: string;
  /** Where it leads, with the host in ASCII (RFC 5891); as it is written where it is no absolute address. */
  address: string;
  /** Of a web address, and the domain of a mail address. */
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
  /** Whether the whole part was read, and as browsers read it. */
  isWhole: boolean;
}

const MAX_LINKS = 200;
const MAX_LABEL = 300;
const MAX_ADDRESS = 2_000;

/** Addresses that a press leads to, by element. */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  form: ['action'],
  button: ['formaction'],
  input: ['formaction'],
};
/** Elements in which an element of HTML is no part of the page. */
const APART: ReadonlySet<string> = new Set(['template', 'svg', 'math']);
/** What stands for the text of an element that has none. */
const WORDS = ['alt', 'aria-label', 'title', 'value'];

const HOST_LIKE = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?[.。])+[\p{L}][\p{L}\p{N}-]*[\p{L}\p{N}]/gu;
const FILE = /\.(?:pdf|docx?|xlsx?|pptx?|odt|png|jpe?g|gif|svg|txt|csv|html?|ics)$/i;

const targetOf = (name: string, attributes: Attributes): string => {
  for (const attribute of TARGETS[name] ?? []) {
    const address = cleanHref(attributes.get(attribute) ?? '');
    if (address !== '') return address;
  }
  return '';
};

const parse = (address: string, base: string | null): URL | null => {
  try {
    return base === null ? new URL(address) : new URL(address, base);
  } catch {
    return null;
  }
};

/** Browsers take no base with data or a script (HTML section 4.2.3). */
const baseOf = (href: string): string | null => {
  const url = parse(cleanHref(href), null);
  return url === null || url.protocol === 'data:' || url.protocol === 'javascript:' ? null : url.href;
};

const hostOf = ({ protocol, hostname, pathname }: URL): string | null => {
  if (protocol !== 'mailto:') return hostname || null;
  const domain = pathname.split('@').at(-1) ?? '';
  return domainToASCII(domain) || null;
};

const isOf = (host: string, named: string): boolean =>
  host === named || host.endsWith(`.${named}`) || named.endsWith(`.${host}`);

/** Signs that are not displayed: soft hyphens, zero-width ones and the other default-ignorable ones. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Takes out what is not displayed: such signs, and blanks behind blanks. */
const squeeze = (text: string): string => text.replace(IGNORED, '').replace(/\s+/g, ' ');

/** Folds what reads alike: fullwidth signs, other full stops, and what is not displayed. */
const fold = (text: string): string => squeeze(text.normalize('NFKC').replace(/[\u3002\uff0e\uff61]/g, '.')).trim();

/** An address without what makes no difference to where it leads. */
const bare = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:)/, '')
    .replace(/\/$/, '');

const review = (label: string, written: string, base: string | null): ReviewedLink => {
  const url = parse(written, base);
  const address = (url?.href ?? written).slice(0, MAX_ADDRESS);
  const host = url && hostOf(url);
  const named = [...fold(label).matchAll(HOST_LIKE)].map(([text]) => text).filter((text) => !FILE.test(text));
  return {
    ...{ label, address, host },
    differs: bare(label) !== bare(address),
    misleads: named.some((text) => {
      const ascii = domainToASCII(text.toLowerCase());
      return ascii !== '' && (host === null || !isOf(host, ascii));
    }),
  };
};

interface Leading {
  address: string;
  label: string;
  words: string;
}

/** Returns the base of all links, those before it as well: the first with an address, be it invalid (HTML section 4.2.3). */
const findBase = (html: string): string | null => {
  if (!/<base/i.test(html)) return null;
  let href: string | null = null;
  /** Open elements in which a base counts for nothing. */
  let apart = 0;
  walkHtml(html, {
    open: (name, attributes) => {
      if (APART.has(name)) apart += 1;
      if (name === 'base' && apart === 0) href ??= attributes.get('href') ?? null;
    },
    close: (name) => {
      if (APART.has(name)) apart -= 1;
    },
    text: () => {},
  });
  return href === null ? null : baseOf(href);
};

/** Linear in the input, with a bounded result; never throws. */
export const reviewLinks = (html: string): ReviewedLinks => {
  const links = new Map<string, ReviewedLink>();
  const beyond = new Set<string>();
  /** The open elements, and those of them that lead somewhere; text belongs to the innermost. */
  const open: (Leading | null)[] = [];
  const leading: Leading[] = [];
  const base = findBase(html);
  const write = (text: string): void => {
    const link = leading.at(-1);
    if (!link) return;
    // Folds before it cuts: what is not displayed takes no room of what is.
    if (link.label.length < MAX_LABEL) {
      link.label = squeeze(`${link.label}${text}`).trimStart().slice(0, MAX_LABEL);
    }
  };
  const add = (text: string, address: string): void => {
    const label = squeeze(text).trim().slice(0, MAX_LABEL);
    const key = `${label}\0${address}`;
    if (links.has(key)) return;
    if (links.size < MAX_LINKS) links.set(key, review(label, address, base));
    else beyond.add(key);
  };
  const isFollowed = walkHtml(html, {
    open: (name, attributes) => {
      const words = WORDS.map((word) => attributes.get(word) ?? '').find((text) => text.trim() !== '') ?? '';
      if (name === 'img') write(` ${words} `);
      const address = targetOf(name, attributes);
      const isTarget = (TARGETS[name] ?? []).some((each) => attributes.has(each));
      // Without a base, a fragment leads nowhere else; with one, it and an empty address lead there.
      const isWithin = address === '' || address.startsWith('#');
      const link = !isTarget || (isWithin && base === null) ? null : { address, label: '', words };
      open.push(link);
      if (link) leading.push(link);
    },
    close: () => {
      const link = open.pop();
      if (!link) return;
      leading.pop();
      add(link.label.trim() === '' ? link.words : link.label, link.address);
    },
    text: write,
  });
  return { links: [...links.values()], more: beyond.size, isWhole: isFollowed && html.length <= MAX_HTML };
};
