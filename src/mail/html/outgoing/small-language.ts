/** The elements of outgoing HTML, and their substitutes for others: docs/sending has the table. */

const named = (names: string): string[] => names.split(' ');
const become = (name: string, names: string): [string, string][] => named(names).map((each) => [each, name]);

/** Elements that are written, by the element of the page. Others lose their tags and keep their content. */
export const WRITTEN_AS: ReadonlyMap<string, string> = new Map([
  ...named(
    'h1 h2 h3 h4 h5 h6 p ul ol li table tr td th a b strong i em u s code pre blockquote img hr br span div',
  ).map((name): [string, string] => [name, name]),
  ...become(
    'div',
    'address article aside body caption center dd details dialog dl dt fieldset figcaption figure footer form header hgroup legend main nav search section summary',
  ),
  ...become(
    'span',
    'abbr bdi bdo big button cite data font label mark meter nobr output progress q ruby small sub sup time',
  ),
  ...become('s', 'del strike'),
  ...become('u', 'ins'),
  ...become('i', 'dfn var'),
  ...become('code', 'kbd samp tt'),
  ...become('pre', 'listing plaintext xmp'),
  ...become('ul', 'dir menu'),
]);

/** Elements with content that is no text of the page, or only replaces the element. */
export const DROPPED: ReadonlySet<string> = new Set(
  named(
    'applet area audio base basefont bgsound canvas col colgroup command datalist embed frame frameset head iframe input keygen link math meta noembed noframes object option optgroup param script select source style svg template title track video',
  ),
);

/** Dropped without telling the agent: they have no effect in mail. */
export const SILENT: ReadonlySet<string> = new Set(named('head title meta link base col colgroup html'));

/** Elements that become others of the same look and meaning. */
export const ALIKE: ReadonlySet<string> = new Set(
  named(
    'address article aside body center dd del dfn dir dl dt figcaption figure font footer header hgroup ins kbd listing main menu nav plaintext samp search section strike tbody tfoot thead time tt var wbr xmp abbr cite data caption',
  ),
);

export const BLOCK: ReadonlySet<string> = new Set(
  named('h1 h2 h3 h4 h5 h6 p ul ol li table tr td th pre blockquote hr div'),
);
export const CELL: ReadonlySet<string> = new Set(['td', 'th']);
/** Elements that may have a width: in a cell, the text of one with a width would run over the cell beside it. */
export const SIZED: ReadonlySet<string> = new Set(['table', 'td', 'th', 'img', 'hr']);
/** Elements that browsers indent, so that deep nesting moves words off the screen. */
export const INDENTED: ReadonlySet<string> = new Set(['blockquote', 'ul', 'ol']);

/** Pixels. A browser's own sizes are relative to the parent's, so that headings in one another would shrink. */
export const HEADING_SIZES: ReadonlyMap<string, number> = new Map([
  ['h1', 32],
  ['h2', 24],
  ['h3', 19],
  ['h4', 16],
  ['h5', 14],
  ['h6', 12],
]);
