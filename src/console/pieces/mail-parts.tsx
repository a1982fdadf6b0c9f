/** Parts of a mail that several screens show: its text, its files, its recipients. All of it is an outsider's. */

import type { ComponentChildren } from 'preact';
import { addressOf } from '../api/client.ts';
import { size } from './format.ts';
import { Icon } from './marks.tsx';

export interface File {
  filename: string;
  contentType: string;
  size: number;
}

type ShowText = (paragraph: string) => ComponentChildren;

/**
 * Paragraphs as they were written: line ends stay.
 * @param show a paragraph's text; as it is where left out
 */
export const MailText = ({ text, show = (paragraph) => paragraph }: { text: string; show?: ShowText }) => (
  <>
    {text
      .trim()
      .split(/\n\s*\n/)
      .map((paragraph, at) => (
        <p class="written" key={at}>
          {show(paragraph)}
        </p>
      ))}
  </>
);

const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const KINDS: Readonly<Record<string, string>> = {
  [`${OFFICE}wordprocessingml.document`]: 'Word',
  [`${OFFICE}spreadsheetml.sheet`]: 'Excel',
  [`${OFFICE}presentationml.presentation`]: 'PowerPoint',
  'application/octet-stream': 'file',
};

/** What a file is said to be, in a word or two: its name needs the room. */
const kindOf = (contentType: string): string => {
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  return KINDS[type] ?? (type.length > 30 ? `${type.slice(0, 29)}…` : type);
};

interface FilesProps {
  files: readonly File[];
  path: string;
  input: Readonly<Record<string, string>>;
}

export const Files = ({ files, path, input }: FilesProps) =>
  files.length === 0 ? null : (
    <ul class="files" aria-label="Attachments">
      {files.map(({ filename, size: bytes, contentType }) => (
        <li key={filename}>
          <a class="file" href={addressOf('api', path, { ...input, filename })} download={filename}>
            <Icon name="clip" />
            <bdi class="clip">{filename}</bdi>{' '}
            <span class="nowrap">
              {kindOf(contentType)}, {size(bytes)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );

/** `Name <a@b>` as its two parts. */
export const splitAddress = (named: string): { name: string | null; address: string } => {
  const match = /^(.*?)\s*<([^<>]+)>$/s.exec(named);
  if (!match) return { name: null, address: named };
  const name = (match[1] ?? '')
    .replace(/^"(.*)"$/s, '$1')
    .replace(/\\(.)/g, '$1')
    .trim();
  return { name: name === '' ? null : name, address: match[2] ?? named };
};

/** Who it is from, the name as quoted and the address in mono. */
export const Author = ({ named, isOwn }: { named: string; isOwn?: string }) => {
  const { name, address } = splitAddress(named);
  return (
    <span class="author">
      {(isOwn ?? name) !== null && (
        <>
          <b class="strong">
            <bdi>{isOwn ?? name}</bdi>
          </b>{' '}
        </>
      )}
      <span class={name === null && isOwn === undefined ? 'strong mono' : 'addr mono'}>{address}</span>
    </span>
  );
};

/** Each recipient under its field; none is left out. */
export const Recipients = ({ fields }: { fields: readonly (readonly [label: string, all: readonly string[]])[] }) => (
  <>
    {fields
      .filter(([, all]) => all.length > 0)
      .map(([label, all]) => (
        <p key={label} class="recipients">
          {label}{' '}
          {all.map((each, at) => (
            <span key={each}>
              <bdi>{each}</bdi>
              {at < all.length - 1 ? ', ' : ''}
            </span>
          ))}
        </p>
      ))}
  </>
);
