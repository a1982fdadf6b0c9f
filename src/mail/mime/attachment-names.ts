/** Derives attachment file names from untrusted ones: no path, no control character, unique and never empty. */

import { toNormalForm } from '../../kernel/text/normal-form.ts';

const MAX_NAME_CHARS = 180;
const MAX_EXTENSION_CHARS = 16;

/** Characters with a meaning in paths, shells or browsers: separators, controls, bidirectional marks. */
const UNSAFE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069<>:"|?*\ufffd]/gu;

const EXTENSIONS: Record<string, string> = {
  'message/rfc822': 'eml',
  'message/delivery-status': 'txt',
  'message/disposition-notification': 'txt',
  'message/feedback-report': 'txt',
  'text/rfc822-headers': 'txt',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/vcard': 'vcf',
  'text/x-amp-html': 'html',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'application/gzip': 'gz',
  'application/pkcs7-signature': 'p7s',
  'application/pgp-signature': 'asc',
  'application/pgp-encrypted': 'asc',
  'application/octet-stream': 'bin',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/**
 * Maps a media type to its usual extension, without a dot: from the table, else a short alphanumeric subtype, else
 * `bin`.
 */
export const toExtension = (contentType: string): string => {
  const subtype = contentType.slice(contentType.indexOf('/') + 1);
  return EXTENSIONS[contentType] ?? (/^[a-z0-9]{2,5}$/.test(subtype) ? subtype : 'bin');
};

const splitName = (name: string): { stem: string; extension: string } => {
  const dot = name.lastIndexOf('.');
  const has = dot > 0 && name.length - dot <= MAX_EXTENSION_CHARS;
  return has ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
};

/** Reduces a path to its last segment, without unsafe characters, of limited length; '' where nothing remains. */
export const safeFilename = (name: string): string => {
  const base = name.slice(-4096).split(/[/\\]/).pop() ?? '';
  const safe = base
    .toWellFormed()
    .replace(UNSAFE, '')
    .replace(/\s+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const clean = toNormalForm(safe, 'NFC');
  return clean.length <= MAX_NAME_CHARS ? clean : joinName(splitName(clean), '');
};

/** Inserts `mark` between stem and extension, and truncates the stem to keep the name within its length. */
const joinName = ({ stem, extension }: { stem: string; extension: string }, mark: string): string => {
  const cut = stem.slice(0, MAX_NAME_CHARS - extension.length - mark.length).replace(/[\ud800-\udbff]$/, '');
  return (cut === stem ? cut : cut.replace(/[. ]+$/, '')) + mark + extension;
};

/**
 * Names each attachment of a message: `a.txt`, then `a-2.txt`; the third without a name `attachment-3.ext`. Names that
 * differ only in letter case count as equal, because some file systems ignore case.
 */
export const nameAttachments = (parts: readonly { filename: string | null; contentType: string }[]): string[] => {
  const taken = new Set<string>();
  const copies = new Map<string, number>();
  return parts.map(({ filename, contentType }, index) => {
    const preferred = safeFilename(filename ?? '') || `attachment-${index + 1}.${toExtension(contentType)}`;
    const split = splitName(preferred);
    let name = preferred;
    let copy = copies.get(preferred.toLowerCase()) ?? 1;
    while (taken.has(name.toLowerCase())) name = joinName(split, `-${++copy}`);
    copies.set(preferred.toLowerCase(), copy);
    taken.add(name.toLowerCase());
    return name;
  });
};
