/** The parse that stands beside each message of mail-parser-stalwart, in the words that our interface has. */

import { existsSync, readFileSync } from 'node:fs';

interface WrittenAddress {
  address?: string | null;
}

interface WrittenHeader {
  name: string | { other: string };
  value: {
    Text?: string;
    Address?: { List?: WrittenAddress[]; Group?: { addresses: WrittenAddress[] }[] };
    ContentType?: { attributes?: { name: string; value: string }[] | null };
  };
}

interface WrittenPart {
  headers: WrittenHeader[];
  body: { Text?: string; Html?: string; Binary?: number[]; InlineBinary?: number[]; Message?: unknown } | string;
}

interface Written {
  text_body: number[];
  html_body: number[];
  attachments: number[];
  parts: WrittenPart[];
}

export interface ExpectedParse {
  from: string[];
  to: string[];
  cc: string[];
  subject: string;
  /** Of each part that is text and shown. */
  texts: string[];
  hasHtml: boolean;
  /** Size in octets once decoded; null for a message inside, whose parse does not say. */
  attachments: { filename: string | null; size: number | null }[];
}

const headerOf = ({ headers }: WrittenPart, name: string): WrittenHeader['value'] | undefined =>
  headers.findLast((header) => header.name === name)?.value;

const addressesOf = (part: WrittenPart, name: string): string[] => {
  const field = headerOf(part, name)?.Address;
  const addresses = field?.List ?? field?.Group?.flatMap((group) => group.addresses) ?? [];
  return addresses.flatMap(({ address }) => (address ? [address.toLowerCase()] : []));
};

const nameOf = (part: WrittenPart): string | null => {
  const parameter = (field: string, name: string) =>
    headerOf(part, field)?.ContentType?.attributes?.find((attribute) => attribute.name === name)?.value;
  return parameter('content_disposition', 'filename') ?? parameter('content_type', 'name') ?? null;
};

const sizeOf = ({ body }: WrittenPart): number | null => {
  if (typeof body === 'string') return null;
  const octets = body.Binary ?? body.InlineBinary;
  if (octets) return octets.length;
  const text = body.Text ?? body.Html;
  return text === undefined ? null : Buffer.byteLength(text);
};

/** @param path the message; @returns null where no parse stands beside it */
export const readExpectedParse = (path: string): ExpectedParse | null => {
  // Its offsets and sizes are those of the message with CRLF, which is how it goes in.
  const beside = path.replace(/\.eml$/, '.crlf.json');
  if (!existsSync(beside)) return null;
  const { parts, text_body, html_body, attachments } = JSON.parse(readFileSync(beside, 'utf8')) as Written;
  const [root] = parts;
  if (!root) return null;
  const partsOf = (indexes: number[]) => indexes.flatMap((index) => parts[index] ?? []);
  return {
    from: addressesOf(root, 'from'),
    to: addressesOf(root, 'to'),
    cc: addressesOf(root, 'cc'),
    subject: headerOf(root, 'subject')?.Text ?? '',
    texts: partsOf(text_body).flatMap(({ body }) => (typeof body === 'object' && body.Text ? [body.Text] : [])),
    hasHtml: partsOf(html_body).some(({ body }) => typeof body === 'object' && body.Html !== undefined),
    attachments: partsOf(attachments).map((part) => ({ filename: nameOf(part), size: sizeOf(part) })),
  };
};
