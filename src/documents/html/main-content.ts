/** Finds a page's main content: leaves out navigation, banners, footers and lists of links. */

import { elementsOf, type HtmlElement, type HtmlNode, isElement, textOf } from './html-tree.ts';

/** Never part of the content. */
const DROPPED = new Set('nav footer aside form button input select textarea dialog noscript head menu'.split(' '));
const DROPPED_ROLES = new Set(
  'navigation banner contentinfo complementary search dialog alert menu menubar'.split(' '),
);
/** Names that pages give to elements around their content. */
const AROUND =
  /(?:^|[-_\s])(?:nav|navbar|navigation|menu|sidebar|footer|breadcrumbs?|cookies?|consent|advert(?:isement)?|ads?|banner|social|share|sharing|related|promo|newsletter|subscribe|pagination|pager|skip-link|toc|masthead)(?:$|[-_\s])/i;

/** Characters from which a `main` or an `article` counts as the content. */
const ENOUGH = 140;
/** Share of a block's text in links from which it counts as a list of links. */
const LINK_DENSITY = 0.6;
/** Share of the page's text from which a container counts as all of it. */
const SHARE = 0.5;

const BLOCKS = new Set('div section ul ol table dl header td center'.split(' '));

interface Weight {
  text: number;
  linked: number;
  paragraphs: number;
}

/** What a press shows (a tab, a fold) is content. A region with a label of its own is more often a notice of cookies. */
const isFolded = ({ attributes }: HtmlElement, parent: HtmlElement): boolean =>
  parent.name === 'details' ||
  attributes.role === 'tabpanel' ||
  (attributes.role === 'region' && attributes['aria-label'] === undefined) ||
  attributes.hidden === 'until-found';

const isHidden = ({ attributes }: HtmlElement): boolean =>
  attributes.hidden !== undefined ||
  attributes['aria-hidden'] === 'true' ||
  /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '');

/** The sign beside a heading that links to it, or the numbers beside lines of code. */
const isMark = ({ name, attributes, children }: HtmlElement): boolean => {
  if (name === 'a' && attributes.href?.startsWith('#')) {
    return children.every((child) => (isElement(child) ? child.children.length === 0 : !/[\p{L}\p{N}]/u.test(child)));
  }
  return (name === 'td' || name === 'span') && /(?:^|[-\s])(?:linenos?|gutter)(?:$|\s)/.test(attributes.class ?? '');
};

/** A question that folds its answer is a button within a heading. */
const isQuestion = (element: HtmlElement, parent: HtmlElement): boolean =>
  element.name === 'button' &&
  /^h[1-6]$/.test(parent.name) &&
  parent.children.every((child) => child === element || (!isElement(child) && child.trim() === ''));

const isDropped = (element: HtmlElement, parent: HtmlElement): boolean =>
  (DROPPED.has(element.name) && !isQuestion(element, parent)) ||
  DROPPED_ROLES.has(element.attributes.role ?? '') ||
  (isHidden(element) && !isFolded(element, parent)) ||
  isMark(element);

const isAround = ({ name, attributes }: HtmlElement): boolean =>
  BLOCKS.has(name) && ['class', 'id', 'aria-label'].some((each) => AROUND.test(attributes[each] ?? ''));

/** Text lengths of every element, counted once. */
const weigh = (root: HtmlElement): Map<HtmlElement, Weight> => {
  const weights = new Map<HtmlElement, Weight>();
  const visit = (element: HtmlElement, parent: HtmlElement): Weight => {
    const weight: Weight = { text: 0, linked: 0, paragraphs: 0 };
    weights.set(element, weight);
    if (isDropped(element, parent)) return weight;
    for (const child of element.children) {
      if (!isElement(child)) {
        weight.text += child.trim().length;
        continue;
      }
      const inside = visit(child, element);
      weight.text += inside.text;
      weight.linked += child.name === 'a' ? inside.text : inside.linked;
      weight.paragraphs += inside.paragraphs;
    }
    if (element.name === 'p' || element.name === 'pre') weight.paragraphs += weight.text;
    return weight;
  };
  visit(root, root);
  return weights;
};

/** The element without parts that are not content. @param isStrict whether names and lists of links count as well */
const cleaned = (element: HtmlElement, weights: ReadonlyMap<HtmlElement, Weight>, isStrict: boolean): HtmlElement => ({
  ...element,
  children: element.children.flatMap((child): HtmlNode[] => {
    if (!isElement(child)) return [child];
    const { text = 0, linked = 0 } = weights.get(child) ?? {};
    if (isDropped(child, element)) return [];
    if (isStrict && (isAround(child) || (BLOCKS.has(child.name) && text > 0 && linked / text > LINK_DENSITY)))
      return [];
    return [cleaned(child, weights, isStrict)];
  }),
});

/** The smallest container with most of the page's paragraphs. */
const densest = (body: HtmlElement, weights: ReadonlyMap<HtmlElement, Weight>): HtmlElement => {
  const most = (weights.get(body)?.paragraphs ?? 0) * SHARE;
  let found = body;
  for (;;) {
    const inside = found.children.find(
      (child) => isElement(child) && (weights.get(child)?.paragraphs ?? 0) > Math.max(most, ENOUGH),
    );
    if (!inside || !isElement(inside) || inside.name === 'p' || inside.name === 'pre') return found;
    found = inside;
  }
};

/** A form around the page, as ASP.NET Web Forms writes it, counts as a block. @returns the page with such a form as a `div` */
const unwrapForm = (root: HtmlElement): HtmlElement => {
  const most = textOf(root).length * SHARE;
  const unwrap = (node: HtmlNode): HtmlNode => {
    if (!isElement(node)) return node;
    if (node.name !== 'form') return { ...node, children: node.children.map(unwrap) };
    return textOf(node).length > most ? { ...node, name: 'div' } : node;
  };
  return { ...root, children: root.children.map(unwrap) };
};

const isMain = ({ name, attributes }: HtmlElement): boolean => name === 'main' || attributes.role === 'main';

/** @returns the content alone; the whole page where it cannot be found */
export const findMainContent = (page: HtmlElement): HtmlElement => {
  const root = unwrapForm(page);
  const weights = weigh(root);
  const isLong = (element: HtmlElement): boolean => (weights.get(element)?.text ?? 0) >= ENOUGH;
  const all = [...elementsOf(root)];
  const main = all.find((element) => isMain(element) && isLong(element));
  if (main) return cleaned(main, weights, false);
  const articles = all.filter((element) => element.name === 'article' && isLong(element));
  const [article] = articles;
  if (article && articles.length === 1) return cleaned(article, weights, false);
  const body = all.find(({ name }) => name === 'body') ?? root;
  const strict = cleaned(densest(body, weights), weights, true);
  const hasContent = weigh(strict).get(strict)?.text ?? 0;
  return hasContent >= ENOUGH ? strict : cleaned(body, weights, false);
};
