/** Payloads that run scripts where HTML is not made safe: none of it survives, however it is read. */

import { readFileSync } from 'node:fs';
import { parseDocument } from 'htmlparser2';
import t from 'tap';
import { readHtml } from '../../src/mail/html/read-html.ts';
import { sanitizeMailHtml } from '../../src/mail/html/sanitize-html.ts';
import { corpusPath, missingCorpora } from './corpora.ts';

type Node = ReturnType<typeof parseDocument>['children'][number];

/** Elements that load, run, frame, submit, or switch a browser's parser to another way of reading. */
const FORBIDDEN = new Set(
  `script style iframe frame frameset object embed applet base link meta form input button select textarea option svg math
  template noscript title xmp plaintext noembed noframes audio video source track canvas dialog slot portal isindex keygen
  marquee bgsound layer html head body`.split(/\s+/),
);
const URLS = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'background',
  'poster',
  'cite',
  'xlink:href',
  'srcset',
  'data',
]);
/** How a browser reads a scheme: blanks and controls are dropped. */
const SAFE_URL = /^(?:https?:\/\/|mailto:|cid:|#)/;

/**
 * The only forms in what is served: text, and tags with quoted values. So written, every parser reads it alike, and what
 * is found in one tree is all that there is.
 */
const STRICT = /^(?:[^<]|<\/[a-z][a-z0-9]*>|<[a-z][a-z0-9]*(?: [a-z][a-z0-9-]*(?:="[^"<>]*")?)*(?: \/)?>)*$/;

const faultsOf = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => {
    if (node.type === 'text') return [];
    if (node.type !== 'tag') return [`a ${node.type}`];
    const faults = FORBIDDEN.has(node.name) ? [`<${node.name}>`] : [];
    for (const [name, value] of Object.entries(node.attribs)) {
      const read = value.replace(/[\p{Cc}\p{Z}]+/gu, '').toLowerCase();
      if (name.startsWith('on') || name === 'srcdoc' || name === 'id') faults.push(`${name}=`);
      if (URLS.has(name) && !SAFE_URL.test(read)) faults.push(`${name}=${value}`);
      if (name === 'style' && /url|expression|import|behaviou?r|binding|\\|javascript/i.test(value)) faults.push(value);
    }
    return [...faults, ...faultsOf(node.children)];
  });

interface Payload {
  title?: string;
  payload: string;
}

t.test('no payload survives', { skip: missingCorpora }, async (t) => {
  const payloads = JSON.parse(readFileSync(corpusPath('dompurify', 'payloads.json'), 'utf8')) as Payload[];
  t.ok(payloads.length > 100, `${payloads.length} payloads`);
  // Each as it is, and where a quirk of the parser around it might let it out.
  const frames = [
    '%',
    '<p title="%">x</p>',
    '<table><tr><td>%',
    '<a href="%">x</a>',
    '<!-- % -->',
    '<div style="%">x</div>',
  ];
  for (const { title = '', payload } of payloads) {
    for (const frame of frames) {
      const html = frame.replace('%', () => payload);
      const served = sanitizeMailHtml(html);
      const what = `${title || payload.slice(0, 60)} in ${frame}`;
      t.ok(STRICT.test(served), `${what}: plainly written`, { served });
      t.same(faultsOf(parseDocument(served).children), [], what, { served });
      t.type(readHtml(html).text, 'string');
    }
  }
});
