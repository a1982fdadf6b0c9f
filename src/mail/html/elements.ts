/** Classifies the elements of HTML by their effect on the text. */

/** Elements without content and end tag (HTML section 13.1.2). */
export const VOID: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

/**
 * Elements with content that is not text of the page: code, metadata, form fields, and elements that mail programs
 * remove.
 */
export const SKIPPED: ReadonlySet<string> = new Set(
  'applet canvas datalist frameset iframe math noembed noframes noscript object option script select style svg template textarea title xml'.split(
    ' ',
  ),
);

/** Line breaks before and after a block: 1 starts a new line, 2 leaves a blank line. */
export const BLOCKS: ReadonlyMap<string, 1 | 2> = new Map([
  ...'address article aside body center dd details dialog div dt fieldset figcaption figure footer form header html legend li main nav section summary caption'
    .split(' ')
    .map((name) => [name, 1] as const),
  ...'blockquote dl h1 h2 h3 h4 h5 h6 listing ol p plaintext pre ul xmp table'
    .split(' ')
    .map((name) => [name, 2] as const),
]);

/** Elements that preserve line ends and blanks. */
export const PREFORMATTED: ReadonlySet<string> = new Set(['listing', 'plaintext', 'pre', 'xmp']);

/** For each element, the elements with an optional end tag that its start ends (HTML section 13.1.2.4). */
export const ENDED_BY: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...BLOCKS.keys(), 'hr'].map((name): [string, string[]] => [name, ['p']]),
  ['li', ['li', 'p']],
  ['dt', ['dt', 'dd', 'p']],
  ['dd', ['dt', 'dd', 'p']],
  ['option', ['option']],
]);

export const CELLS: ReadonlySet<string> = new Set(['td', 'th']);
export const ROW_GROUPS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);
