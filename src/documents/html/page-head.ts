/** Reads a page's title, description and links, and its directives for robots. */

import { resolveLink } from '../links.ts';
import { elementsOf, type HtmlElement, textOf } from './html-tree.ts';

export interface PageHead {
  title: string | null;
  description: string | null;
  /** Absolute, each once, in order. Empty where the page forbids following them. */
  links: string[];
  /** Whether the page asks not to be indexed. */
  isUnindexed: boolean;
}

/** Links of one page. */
const MAX_LINKS = 2_000;

const metaOf = (elements: readonly HtmlElement[], name: string): string | null => {
  const found = elements.find(
    ({ name: tag, attributes }) =>
      tag === 'meta' && (attributes.name ?? attributes.property)?.toLowerCase() === name && attributes.content?.trim(),
  );
  return found?.attributes.content?.replace(/\s+/g, ' ').trim() ?? null;
};

const firstText = (elements: readonly HtmlElement[], tag: string): string | null => {
  const found = elements.find(({ name }) => name === tag);
  return (found && textOf(found)) || null;
};

/** `name` and its value in the content of a robots field (Robots meta tag, X-Robots-Tag). */
export const hasDirective = (text: string | null, directive: 'noindex' | 'nofollow'): boolean =>
  new RegExp(`(?:^|[\\s,:])(?:${directive}|none)(?:$|[\\s,])`, 'i').test(text ?? '');

/** A page of a static site may lead on by `<meta http-equiv="refresh" content="0; url=/en/">` alone. */
const hrefOf = (name: string, attributes: HtmlElement['attributes']): string | undefined => {
  if (name === 'a' || name === 'area') return attributes.href;
  const isRefresh = name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'refresh';
  return isRefresh ? /;\s{0,9}url\s{0,9}=\s{0,9}["']?([^"']+)/i.exec(attributes.content ?? '')?.[1] : undefined;
};

/** @param base the page's URL */
export const readPageHead = (root: HtmlElement, base: URL): PageHead => {
  const elements = [...elementsOf(root)];
  const baseHref = elements.find(({ name, attributes }) => name === 'base' && attributes.href)?.attributes.href;
  const resolvedBase = (baseHref !== undefined && resolveLink(baseHref, base)) || base.href;
  const robots = metaOf(elements, 'robots');
  const links = new Set<string>();
  if (!hasDirective(robots, 'nofollow')) {
    for (const { name, attributes } of elements) {
      if (links.size >= MAX_LINKS) break;
      const href = hrefOf(name, attributes);
      if (href === undefined || /\bnofollow\b/i.test(attributes.rel ?? '')) continue;
      const link = resolveLink(href, new URL(resolvedBase));
      if (link !== null) links.add(link);
    }
  }
  return {
    title: firstText(elements, 'title') ?? metaOf(elements, 'og:title') ?? firstText(elements, 'h1'),
    description: metaOf(elements, 'description') ?? metaOf(elements, 'og:description'),
    links: [...links],
    isUnindexed: hasDirective(robots, 'noindex'),
  };
};
