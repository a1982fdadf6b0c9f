/** HTML that shows other words than a review of it did, or in another order; and everyday HTML, with changes by chance. */

import { readFileSync } from 'node:fs';
import { parseMail } from '../../src/mail/mime/parse-message.ts';
import { corpusPath, messageFiles } from '../corpus/corpora.ts';
import { everydayMails } from '../everyday/mails.ts';

/** By kind: what hides, covers, cuts, moves, shrinks, writes or reads otherwise. */
const collected = JSON.parse(readFileSync(new URL('tricks.json', import.meta.url), 'utf8')) as Record<string, string[]>;

const nested = (open: string, close: string, times: number): string =>
  `${open.repeat(times)}not${close.repeat(times)} pay`;

/** By what is left for a language that has few properties. */
const OWN: Record<string, string> = {
  'a condition of Outlook': '<!--[if mso]><div style="display:none"><![endif]--><p>Do not pay</p>',
  'the same colour': '<p style="color:#fff">Do not</p><p style="background:#000">pay</p>',
  'a colour that is almost the same': '<p style="background:#777"><b style="color:#787878">not</b></p>',
  'the colour of a link': '<div style="background:#00e"><a href="https://x.test/">not</a> pay</div>',
  'a colour around a table': '<div style="background:#000;color:#fff"><table><tr><td>not</td></tr></table></div>',
  'a table on the colour of its page':
    '<body bgcolor="#000000" text="#ffffff"><p>Do<table><tr><td>not</td></tr></table>pay',
  'a half-transparent colour': '<p style="color:rgba(0,0,0,.02)">not</p>',
  covered: '<p>not</p><div style="position:absolute;top:0;left:0;width:900px;height:900px;background:#fff">pay</div>',
  'covered by a padding in a line': '<div>not</div><span style="padding:60px;background:#fff">pay</span>',
  'covered by a border in a line': '<div>not</div><span style="border:60px solid #fff">pay</span>',
  'a cell over another': `<table><tr><td>a</td><td rowspan="2">not</td></tr><tr><td colspan="2" style="background:#fff">pay</td></tr></table>`,
  'a narrow box in a cell':
    '<table><tr><td><div style="width:1px">not</div></td><td style="background:#fff">pay</td></tr></table>',
  moved: '<div style="margin-left:-9999px">not</div><div style="float:right">pay</div>We',
  'moved by paddings': `${'<div style="padding-left:64px">'.repeat(60)}not`,
  'moved by quotes': `${'<blockquote>'.repeat(60)}not`,
  'moved by lists': `${'<ul><li>'.repeat(60)}not`,
  'moved by blanks': `<pre>We will${' '.repeat(900)}not</pre><p>pay${'&nbsp;'.repeat(900)}x</p>`,
  'the foot before the rows': '<table><tfoot><tr><td>foot</td></tr></tfoot><tr><td>row</td></tr></table>',
  'a caption behind the rows': '<table><tr><td>row</td></tr><caption>caption</caption></table>',
  'words beside the cells': '<table><tr><td>Bravo</td></tr>Charlie',
  'from the right': '<p dir="rtl">We will <bdo dir="rtl">not</bdo></p><p>a \u202e not \u202c pay</p>',
  'letters shrunk': '<p style="font-size:1px">We <b style="font-size:.1em">will</b> <font size="-7">not</font></p>',
  'letters shrunk in one another': nested('<small><sup>', '</sup></small>', 30),
  'headings in one another': nested('<h6><div>', '</div></h6>', 20),
  'a font of signs': '<p>We will <font face="Wingdings" style="font-family:Webdings">not</font> pay</p>',
  'a font that is remapped': '<style>@font-face{font-family:x;src:url(x)}p{font-family:x}</style><p>not</p>',
  'generated words': '<style>p::after{content:"not"}</style><p>Do</p><ul style="list-style:\'pay\'"><li>x</ul>',
  'split tags': '<p>n<b>o</b>t <i>p</i>a<span>y</span></p><p title="<b>x</b>">do<wbr>ne</p>',
  'misnested tags': '<b>one<p>two</b>three<i>four</p>five</i><a href="https://x.test/">six<div>seven</a>eight',
  'a form around rows': '<table><form><tr><td>a<input type=hidden></td></tr></form></table>',
  'a page in a page': '<p>a<html><body style="display:none"><p>b',
  'an end of a comment': '<p>a<!-- --!><b>b</b><!--><i>c</i>',
};

export const trickOf = (name: string): string => OWN[name] ?? '';

export const tricks = (): [name: string, html: string][] => [
  ...Object.entries(collected).flatMap(([kind, pages]) =>
    pages.map((html, at): [string, string] => [`${kind} ${at}`, html]),
  ),
  ...Object.entries(OWN),
];

const MAX_CHARS = 20_000;

/** The HTML parts of the corpora, and of the mails of everyday. */
export const ordinaryPages = async (): Promise<string[]> => {
  const raws = Object.values(everydayMails).map((raw) => Buffer.from(raw, 'latin1'));
  for (const folder of ['zbateson', 'mail-parser-stalwart']) {
    for (const path of await messageFiles(folder)) raws.push(readFileSync(path));
  }
  const pages = new Set<string>();
  for (const raw of raws) {
    const { html } = await parseMail(raw);
    if (html !== null && html.length < MAX_CHARS) pages.add(html);
  }
  const payloads = JSON.parse(readFileSync(corpusPath('dompurify', 'payloads.json'), 'utf8')) as { payload: string }[];
  for (const { payload } of payloads) pages.add(`<p>Before</p>${payload}<p>After</p>`);
  return [...pages];
};

/** Mulberry32. */
export const createChance = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

const STYLES = [
  'float:right;position:absolute;top:0',
  'color:#fff;background:#fefefe',
  'font-size:2px;line-height:0;opacity:0',
  'display:none',
  'padding:60px;border:30px solid #fff;margin:-90px;width:3px',
  'background:#000;text-align:right;transform:scale(0)',
];

/** A page with some tags lost, doubled, exchanged, restyled, or brought in from another page. */
export const mutate = (page: string, other: string, chance: (below: number) => number): string => {
  const pieces = page.split(/(<[^>]*>)/);
  const others = other.split(/(<[^>]*>)/);
  const at = (): number => chance(pieces.length);
  for (let changes = 1 + chance(6); changes > 0; changes -= 1) {
    const [one, two] = [at(), at()];
    const kind = chance(6);
    if (kind === 0) pieces.splice(one, 1);
    else if (kind === 1) pieces.splice(one, 0, pieces[two] ?? '');
    else if (kind === 2) [pieces[one], pieces[two]] = [pieces[two] ?? '', pieces[one] ?? ''];
    else if (kind === 3) pieces.splice(one, 0, ...others.slice(chance(others.length)).slice(0, 8));
    else if (kind === 4) pieces[one] = (pieces[one] ?? '').slice(0, -1);
    else pieces[one] = (pieces[one] ?? '').replace(/>$/, ` style="${STYLES[chance(STYLES.length)]}">`);
  }
  return pieces.join('');
};
