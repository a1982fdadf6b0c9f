/**
 * Selects the attachments with a preview, and its kind, by their declared type. Each viewer is safe with any content.
 */

export interface Previewed {
  filename: string;
  contentType: string;
  size: number;
  /** An image that the HTML part shows already has one. */
  content_id?: string | null;
}

export type Look = 'picture' | 'pdf' | 'table' | 'card' | 'text';

const MOST_BYTES = 12 * 1024 * 1024;
/** Previews of a mail; further attachments are links. */
export const MOST_PREVIEWS = 8;

const LOOKS: readonly (readonly [Look, RegExp, RegExp])[] = [
  // SVG is left out: it is a document, not a picture.
  ['picture', /^image\/(?:png|jpe?g|gif|webp|avif)$/, /\.(?:png|jpe?g|gif|webp|avif)$/],
  ['pdf', /^application\/pdf$/, /\.pdf$/],
  ['table', /^(?:text\/(?:csv|tab-separated-values)|application\/csv)$/, /\.[ct]sv$/],
  ['card', /^(?:text\/calendar|application\/ics)$/, /\.ics$/],
  [
    'text',
    /^application\/vnd\.openxmlformats-officedocument\.|^text\/(?:plain|markdown)$/,
    /\.(?:docx|xlsx|pptx|txt|md)$/,
  ],
];

/** Null: it is a link alone. */
export const lookOf = (
  { filename, contentType, size, content_id: contentId }: Previewed,
  hasHtml: boolean,
): Look | null => {
  if (size > MOST_BYTES) return null;
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  const isNamed = type === 'application/octet-stream';
  const [look = null] =
    LOOKS.find(([, types, names]) => (isNamed ? names.test(filename.toLowerCase()) : types.test(type))) ?? [];
  return look === 'picture' && contentId && hasHtml ? null : look;
};
