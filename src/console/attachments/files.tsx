/** The attachments of a mail: some have a preview, the others are links. All of their content is untrusted. */

import { useState } from 'preact/hooks';
import { addressOf } from '../api/client.ts';
import { Button } from '../components/controls.tsx';
import { count, size } from '../components/format.ts';
import { Icon } from '../components/marks.tsx';
import { lookOf, MOST_PREVIEWS, type Previewed } from './kinds.ts';
import { Previews } from './previews.tsx';

const OFFICE = 'application/vnd.openxmlformats-officedocument.';
const KINDS: Readonly<Record<string, string>> = {
  [`${OFFICE}wordprocessingml.document`]: 'Word',
  [`${OFFICE}spreadsheetml.sheet`]: 'Excel',
  [`${OFFICE}presentationml.presentation`]: 'PowerPoint',
  'application/octet-stream': 'file',
};

/** A file's kind in a word or two, because its name needs the space. */
const kindOf = (contentType: string): string => {
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  return KINDS[type] ?? (type.length > 30 ? `${type.slice(0, 29)}…` : type);
};

/** Links at first; a sender may attach hundreds. */
const MOST_LINKS = 20;

/** Whether a later file is the same calendar: invitations carry theirs as a part of the text and as a file. */
const isAgain = (files: readonly Previewed[], at: number): boolean =>
  files.some((file, later) => later > at && file.size === files[at]?.size && lookOf(file, false) === 'card');

interface FilesProps {
  files: readonly Previewed[];
  /** The noun of the operations for bytes and preview. */
  noun: 'mail' | 'heldParts';
  input: Readonly<Record<string, string>>;
  hasHtml: boolean;
}

export const Files = ({ files, noun, input, hasHtml }: FilesProps) => {
  const [isWhole, setWhole] = useState(false);
  const shown = files
    .flatMap((file, at) => {
      const look = lookOf(file, hasHtml);
      return look === null || (look === 'card' && isAgain(files, at)) ? [] : [{ file, look }];
    })
    .slice(0, MOST_PREVIEWS);
  const others = files.filter((file) => !shown.some((each) => each.file === file));
  return (
    <>
      {shown.length > 0 && <Previews files={shown} noun={noun} input={input} />}
      {others.length > 0 && (
        <ul class="files" aria-label="Attachments">
          {others.slice(0, isWhole ? others.length : MOST_LINKS).map(({ filename, size: bytes, contentType }) => (
            <li key={filename}>
              <a class="file" href={addressOf('api', `${noun}/attachment`, { ...input, filename })} download={filename}>
                <Icon name="clip" />
                <bdi class="clip">{filename}</bdi>{' '}
                <span class="nowrap">
                  {kindOf(contentType)}, {size(bytes)}
                </span>
              </a>
            </li>
          ))}
          {!isWhole && others.length > MOST_LINKS && (
            <li>
              <Button words={`${count(others.length - MOST_LINKS)} more`} isSmall onClick={() => setWhole(true)} />
            </li>
          )}
        </ul>
      )}
    </>
  );
};
