/** File names of attachments: a stranger's, so no path, no control character, none twice and none empty. */

const MAX_NAME_CHARS = 180;
const MAX_EXTENSION_CHARS = 16;

/** Characters that part a path or mean something to a shell's or a browser's eye: separators, controls, direction marks. */
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

/** The usual extension of a media type, without its dot: from the table, else a short and plain subtype, else `bin`. */
export const extensionOf = (contentType: string): string => {
  const subtype = contentType.slice(contentType.indexOf('/') + 1);
  return EXTENSIONS[contentType] ?? (/^[a-z0-9]{2,5}$/.test(subtype) ? subtype : 'bin');
};

const splitName = (name: string): { stem: string; extension: string } => {
  const dot = name.lastIndexOf('.');
  const has = dot > 0 && name.length - dot <= MAX_EXTENSION_CHARS;
  return has ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
};

/** The last step of whatever path was given, cleaned and cut; empty where nothing is left. */
export const safeFilename = (name: string): string => {
  const base = name.slice(-4096).split(/[/\\]/).pop() ?? '';
  const clean = base
    .toWellFormed()
    .replace(UNSAFE, '')
    .replace(/\s+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .normalize('NFC');
  return clean.length <= MAX_NAME_CHARS ? clean : joinName(splitName(clean), '');
};

/** Puts `mark` between stem and extension, and cuts the stem so far that the name stays within its length. */
const joinName = ({ stem, extension }: { stem: string; extension: string }, mark: string): string => {
  const cut = stem.slice(0, MAX_NAME_CHARS - extension.length - mark.length).replace(/[\ud800-\udbff]$/, '');
  return (cut === stem ? cut : cut.replace(/[. ]+$/, '')) + mark + extension;
};

/**
 * Gives each attachment of a message its name: `a.txt`, then `a-2.txt`; the third without one `attachment-3.ext`.
 * Names that differ in letter case alone count as the same, because some file systems hold them so.
 */
export const nameAttachments = (parts: readonly { filename: string | null; contentType: string }[]): string[] => {
  const taken = new Set<string>();
  const copies = new Map<string, number>();
  return parts.map(({ filename, contentType }, index) => {
    const wanted = safeFilename(filename ?? '') || `attachment-${index + 1}.${extensionOf(contentType)}`;
    const split = splitName(wanted);
    let name = wanted;
    let copy = copies.get(wanted.toLowerCase()) ?? 1;
    while (taken.has(name.toLowerCase())) name = joinName(split, `-${++copy}`);
    copies.set(wanted.toLowerCase(), copy);
    taken.add(name.toLowerCase());
    return name;
  });
};
