/** Attachments in their place: pictures, the first page of a PDF, a table's first rows, an event, the text that agents get. */

import { useState } from 'preact/hooks';
import { type Answer, addressOf, api } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { plural, size } from '../components/format.ts';
import { Icon } from '../components/marks.tsx';
import { EventCard } from './event-card.tsx';
import type { Look, Previewed } from './kinds.ts';
import { PdfView } from './pdf-view.tsx';

type Read = Answer<'mail', 'preview'>;

interface OfFile {
  file: Previewed;
  /** The URL of its bytes. */
  href: string;
}

const Caption = ({ file, href, note }: OfFile & { note?: string | null }) => (
  <figcaption>
    <bdi class="clip">{file.filename}</bdi>
    <span class="faint">{[...(note ? [note] : []), size(file.size)].join(', ')}</span>
    <a class="btn quiet small icon" href={href} download={file.filename} aria-label={`Save ${file.filename}`}>
      <Icon name="save" />
    </a>
  </figcaption>
);

const None = () => <p class="none">It cannot be shown here; save it to open it.</p>;

/** A picture or a page; a click opens it whole. */
const Shot = ({ file, href, look }: OfFile & { look: Look }) => {
  const [isOpen, setOpen] = useState(false);
  const [pages, setPages] = useState<number | null>(null);
  const [isBroken, setBroken] = useState(false);
  const isPdf = look === 'pdf';
  const isNone = isBroken || pages === 0;
  return (
    <figure>
      <div class="shot">
        {isNone && <None />}
        {!isNone && isPdf && (
          <PdfView href={href} title={`First page of ${file.filename}`} isFirstOnly tell={setPages} />
        )}
        {!isNone && !isPdf && <img src={href} alt={file.filename} loading="lazy" onError={() => setBroken(true)} />}
        {!isNone && <button type="button" aria-label={`Open ${file.filename}`} onClick={() => setOpen(true)} />}
      </div>
      <Caption file={file} href={href} note={pages ? plural(pages, 'page') : null} />
      {isOpen && (
        <Dialog title={file.filename} onClose={() => setOpen(false)} class="large whole-file">
          {isNone && <None />}
          {!isNone && isPdf && (
            <PdfView
              href={href}
              title={file.filename}
              tell={(drawn) => setBroken(drawn === 0)}
              onLeave={() => setOpen(false)}
            />
          )}
          {!isNone && !isPdf && <img src={href} alt={file.filename} />}
          <div class="acts">
            <Button words="Close" onClick={() => setOpen(false)} />
          </div>
        </Dialog>
      )}
    </figure>
  );
};

const isNumber = (cell: string): boolean => /^[-+]?[\d\s.,']+%?$/.test(cell);

const Rows = ({ rows: [head = [], ...rows] }: { rows: string[][] }) => {
  const numeric = head.map((_, at) => rows.length > 0 && rows.every((row) => isNumber(row[at] ?? '')));
  const classOf = (at: number): string | undefined => (numeric[at] ? 'num' : undefined);
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, at) => (
            <th key={at} class={classOf(at)}>
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => (
          <tr key={line}>
            {head.map((_, at) => (
              <td key={at} class={classOf(at)}>
                {row[at]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const noteOf = (read: Read | null): string | null => {
  if (read?.kind === 'text') return read.truncated ? 'first of its text, as agents get it' : 'text as agents get it';
  if (read?.kind !== 'rows') return null;
  const shown = Math.max(0, read.rows.length - 1);
  return read.total === null ? `first ${plural(shown, 'row')}` : `first ${shown} of ${plural(read.total - 1, 'row')}`;
};

const Inside = ({ read }: { read: Read }) => {
  if (read.kind === 'rows') return <Rows rows={read.rows} />;
  if (read.kind === 'text') return <pre>{read.text}</pre>;
  return (
    <>
      {read.events.map((event, at) => (
        <EventCard key={at} event={event} />
      ))}
    </>
  );
};

interface ReadProps extends OfFile {
  noun: 'mail' | 'heldParts';
  input: Readonly<Record<string, string>>;
  look: Look;
}

/** The service's reading of it. Its height is reserved before it loads. */
const ReadFile = ({ noun, input, file, href, look }: ReadProps) => {
  const { filename } = file;
  const load = (signal: AbortSignal): Promise<Read> =>
    noun === 'mail'
      ? api.mail.preview({ agent: input.agent ?? '', id: input.id ?? '', filename }, { signal })
      : api.heldParts.preview({ pending_id: input.pending_id ?? '', filename }, { signal });
  const { value, failure } = useLoaded(load, `${noun} ${JSON.stringify(input)} ${filename}`);
  return (
    <figure class="rows-of" aria-busy={!(value || failure)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is scrolled by keys too */}
      <section class={`sheet ${look}`} tabIndex={0} aria-label={`Preview of ${filename}`}>
        {failure && <None />}
        {value && <Inside read={value} />}
      </section>
      <Caption file={file} href={href} note={noteOf(value)} />
    </figure>
  );
};

interface PreviewsProps {
  files: readonly { file: Previewed; look: Look }[];
  noun: 'mail' | 'heldParts';
  input: Readonly<Record<string, string>>;
}

export const Previews = ({ files, noun, input }: PreviewsProps) => (
  <div class="previews">
    {files.map(({ file, look }) => {
      const href = addressOf('api', `${noun}/attachment`, { ...input, filename: file.filename });
      return look === 'picture' || look === 'pdf' ? (
        <Shot key={file.filename} file={file} href={href} look={look} />
      ) : (
        <ReadFile key={file.filename} noun={noun} input={input} file={file} href={href} look={look} />
      );
    })}
  </div>
);
