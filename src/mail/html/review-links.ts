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

const hostOf = ({ protocol, hostname, pathname }: URL): string | null => {
  if (protocol !== 'mailto:') return hostname || null;
  const domain = pathname.split('@').at(-1) ?? '';
  return domainToASCII(domain) || null;
};

const isOf = (host: string, named: string): boolean =>
  host === named || host.endsWith(`.${named}`) || named.endsWith(`.${host}`);

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
  const named = [...label.matchAll(HOST_LIKE)].map(([text]) => text).filter((text) => !FILE.test(text));
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

/** Linear in the input, with a bounded result; never throws. */
export const reviewLinks = (html: string): ReviewedLinks => {
  const links = new Map<string, ReviewedLink>();
  const beyond = new Set<string>();
  /** The open elements, and those of them that lead somewhere; text belongs to the innermost. */
  const open: (Leading | null)[] = [];
  const leading: Leading[] = [];
  let base: string | null = null;
  const write = (text: string): void => {
    const link = leading.at(-1);
    if (link && link.label.length < MAX_LABEL) link.label += text.slice(0, MAX_LABEL);
  };
  const add = (text: string, address: string): void => {
    const label = text.replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL);
    const key = `${label}\0${address}`;
    if (links.has(key)) return;
    if (links.size < MAX_LINKS) links.set(key, review(label, address, base));
    else beyond.add(key);
  };
  const isFollowed = walkHtml(html, {
    open: (name, attributes) => {
      if (name === 'base' && base === null) base = parse(cleanHref(attributes.get('href') ?? ''), null)?.href ?? null;
      const words = WORDS.map((word) => attributes.get(word) ?? '').find((text) => text.trim() !== '') ?? '';
      if (name === 'img') write(` ${words} `);
      const address = targetOf(name, attributes);
      // A fragment leads nowhere else.
      const link = address === '' || address.startsWith('#') ? null : { address, label: '', words };
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
