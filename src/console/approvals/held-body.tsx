/** What a held mail says: its HTML part as most programs show it, all of its words where they differ, and its text part. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, api } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { size } from '../pieces/format.ts';
import { MailFrame } from '../pieces/mail-frame.tsx';
import { Files, MailText } from '../pieces/mail-parts.tsx';
import { Show } from '../pieces/states.tsx';
import { HeldHeader } from './held-header.tsx';
import { HeldLinks } from './held-links.tsx';
import type { HeldDetail } from './why-held.ts';

/** As the review writes what styles hide, or may. */
const HIDDEN = /(\[(?:possibly )?hidden: [^\]]*\])/;

const markHidden = (paragraph: string) =>
  paragraph.split(HIDDEN).map((part) => (HIDDEN.test(part) ? <mark class="bad">{part}</mark> : part));

interface PartsProps {
  held: HeldDetail;
  /** Without an HTML part the text is all there is. */
  hasHtml: boolean;
  /** What stands between the text and the last line. */
  children: ComponentChildren;
}

const Parts = ({ held, hasHtml, children }: PartsProps) => {
  const [isText, setText] = useState(false);
  const [isRemote, setRemote] = useState(false);
  const input = { pending_id: held.pending_id };
  const shows = (!hasHtml || isText) && !held.html_differs ? 'text' : 'html';
  const frame = (
    <MailFrame path="heldParts/html" input={input} isRemote={isRemote} title="The HTML part of the message" />
  );
  const text = <MailText text={held.text ?? ''} />;
  return (
    <>
      {held.html_differs ? (
        <>
          <div class="both">
            <section aria-label="HTML part">
              <h2>HTML part, which most programs show</h2>
              <div class="body">{frame}</div>
            </section>
            <section aria-label="Text part">
              <h2>Text part, which says something else</h2>
              <div class="body">{text}</div>
            </section>
          </div>
          <section class="all-words" aria-label="All words of the HTML part">
            <h2>All words of the HTML part, with those that some programs hide</h2>
            <div class="body">
              <MailText text={held.html_text ?? ''} show={markHidden} />
            </div>
          </section>
        </>
      ) : (
        <div class="body">{shows === 'text' ? text : frame}</div>
      )}
      {children}
      <footer>
        <span>
          {shows === 'text' || held.html_differs ? 'As it will look' : 'As it will look: HTML'}
          {held.size === null ? '' : `, ${size(held.size)}`}
        </span>
        <span class="end">
          {hasHtml && !held.html_differs && (
            <button type="button" class="link accent" onClick={() => setText(!isText)}>
              {isText ? 'HTML' : 'Plain text'}
            </button>
          )}
          {shows === 'html' && (
            <button type="button" class="link accent" onClick={() => setRemote(!isRemote)}>
              {isRemote ? 'Without remote images' : 'Load remote images'}
            </button>
          )}
          <a href={addressOf('api', 'heldParts/raw', input)} download={`${held.pending_id}.eml`}>
            Raw source
          </a>
        </span>
      </footer>
    </>
  );
};

export const HeldBody = ({ held }: { held: HeldDetail }) => {
  const { pending_id } = held;
  const loaded = useLoaded((signal) => api.heldParts.links({ pending_id }, { signal }), `links of ${pending_id}`);
  return (
    <Show loaded={loaded} what="The parts of the message" lines={4}>
      {({ has_html, ...reviewed }) => (
        <Parts held={held} hasHtml={has_html}>
          <HeldLinks {...reviewed} />
          <HeldHeader headers={held.headers} />
          <Files files={held.attachments} path="heldParts/attachment" input={{ pending_id }} />
        </Parts>
      )}
    </Show>
  );
};
