/** Links by which a service wants to be answered: verify, confirm, reset, activate, sign in. */

const MAX_TEXT = 256 * 1024;
const MAX_URL = 2048;
const MAX_LINKS = 20;
const MAX_LABEL = 300;
/** Anchors that are looked at. */
const MAX_ANCHORS = 500;
/** What is said about a bare link stands right before it. */
const CONTEXT = 120;

const WANTED =
  /verif|confirm|activat|reset|magic|sign[-_ ]?in\b|log[-_ ]?in\b|password|validat|authenticat|passwordless|one[-_ ]?time|set[-_ ]?up your|accept[-_ ]?invit|invitation|bestätig|aktivier|anmeld|confirmer|vérif|activer|réinitialis|verificar|activar|restablecer|conferma|attiva|bevestig|bekräfta|potwierdź|подтверд|确认|验证/iu;
const UNWANTED =
  /unsubscribe|abmelden|désabonn|desuscrib|preferences|privacy|terms|help[-_ ]?cent|support\b|view[-_ ]?in[-_ ]?browser/iu;

const TEXT_URL = /https?:\/\/[^\s<>"'`\\^{|}\])]{1,2048}/gi;
const TAIL = /[.,;:!?*_~]+$/;

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  '#38': '&',
};
const decodeEntities = (text: string): string =>
  text.replace(/&(#?\w{2,6});/g, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);

const asUrl = (text: string): string | null => {
  if (text.length > MAX_URL || !/^https?:\/\//i.test(text)) return null;
  return URL.canParse(text) ? text : null;
};

const isWanted = (url: string, said: string): boolean => {
  const words = said.replace(/\s+/g, ' ');
  if (UNWANTED.test(words) && !WANTED.test(words)) return false;
  const { pathname, search } = new URL(url);
  return WANTED.test(words) || (WANTED.test(pathname + search) && !UNWANTED.test(pathname));
};

interface Anchor {
  href: string;
  label: string;
}

/** The anchors of a page, found by their `href=` so that nothing is read twice, whatever the brackets do. */
const anchorsOf = (html: string): Anchor[] => {
  const anchors: Anchor[] = [];
  const lower = html.toLowerCase();
  for (let at = lower.indexOf('href'); at >= 0 && anchors.length < MAX_ANCHORS; at = lower.indexOf('href', at + 4)) {
    const value = /^href\s{0,8}=\s{0,8}(?:"([^"]{1,2048})"|'([^']{1,2048})'|([^\s"'>]{1,2048}))/i.exec(
      html.slice(at, at + MAX_URL + 32),
    );
    const href = value?.[1] ?? value?.[2] ?? value?.[3];
    if (href === undefined || !/^\s*http/i.test(href)) continue;
    const rest = html.slice(at + (value?.[0].length ?? 0), at + (value?.[0].length ?? 0) + 4 * MAX_URL);
    const open = rest.indexOf('>') + 1;
    const close = rest.toLowerCase().indexOf('</a', open);
    const inside = rest.slice(open, close < 0 ? open + MAX_LABEL : Math.min(close, open + 4 * MAX_LABEL));
    const label = inside.replace(/<[^<>]{0,2000}>/g, ' ').slice(0, MAX_LABEL);
    anchors.push({ href: decodeEntities(href.trim()), label: decodeEntities(label) });
  }
  return anchors;
};

/**
 * Links that ask to verify, confirm, reset, activate or sign in: said by their label, their address or the words before them.
 * @param html as sent, or null
 * @returns http and https only, each once, at most 20, those of the HTML first
 */
export const findLinks = (text: string, html: string | null): string[] => {
  const links = new Set<string>();
  for (const { href, label } of anchorsOf((html ?? '').slice(0, MAX_TEXT))) {
    const url = asUrl(href);
    if (url !== null && isWanted(url, label)) links.add(url);
  }
  const plain = text.slice(0, MAX_TEXT);
  let behind = 0;
  for (const { index, 0: written } of plain.matchAll(TEXT_URL)) {
    const url = asUrl(written.replace(TAIL, ''));
    if (url !== null && isWanted(url, plain.slice(Math.max(behind, index - CONTEXT), index))) links.add(url);
    behind = index + written.length;
    if (links.size >= MAX_LINKS) break;
  }
  return [...links].slice(0, MAX_LINKS);
};
