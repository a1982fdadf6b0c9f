/** The content of a held mail: its HTML part as programs show it, and both texts where the text part differs. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { Files } from '../attachments/files.tsx';
import { Show } from '../components/blocks.tsx';
import { size } from '../components/format.ts';
import { MailFrame } from '../components/mail-frame.tsx';
import { MailText } from '../components/mail-parts.tsx';
import { DifferingWords } from './differing-words.tsx';
import { HeldHeader } from './held-header.tsx';
import { HeldLinks } from './held-links.tsx';
import type { HeldDetail } from './why-held.ts';

interface PartsProps {
  held: HeldDetail;
  /** Without an HTML part the text is all there is. */
  hasHtml: boolean;
  /** Shown between the text and the last line. */
  children: ComponentChildren;
}

const Parts = ({ held, hasHtml, children }: PartsProps) => {
  const [isText, setText] = useState(false);
  const [isRemote, setRemote] = useState(false);
  const input = { pending_id: held.pending_id };
  const shows = (!hasHtml || isText) && !held.html_differs ? 'text' : 'html';
  const frame = (
    <MailFrame
      // Edited, it is another mail.
      key={held.digest}
      path="heldParts/html"
      input={input}
      isRemote={isRemote}
      title="The HTML part of the message"
    />
  );
  const text = <MailText text={held.text ?? ''} />;
  return (
    <>
      {held.html_differs ? (
        <>
          <section aria-label="HTML part">
            <div class="body">{frame}</div>
          </section>
          <div class="both">
            <section aria-label="Words of the HTML part">
              <h2>Words of the HTML part, as every program shows them</h2>
              <div class="body">
                <DifferingWords text={held.html_text ?? ''} other={held.text ?? ''} />
              </div>
            </section>
            <section aria-label="Text part">
              <h2>Text part, which says something else</h2>
              <div class="body">
                <DifferingWords text={held.text ?? ''} other={held.html_text ?? ''} />
              </div>
            </section>
          </div>
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
            <button type="button" class="link" onClick={() => setText(!isText)}>
              {isText ? 'HTML' : 'Plain text'}
            </button>
          )}
          {shows === 'html' && (
            <button type="button" class="link" onClick={() => setRemote(!isRemote)}>
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
  const loaded = useAnswer(api.heldParts.links, { pending_id }, held.digest);
  return (
    <Show loaded={loaded} what="The parts of the message" lines={4}>
      {({ has_html, ...reviewed }) => (
        <Parts held={held} hasHtml={has_html}>
          <Files files={held.attachments} noun="heldParts" input={{ pending_id }} hasHtml={has_html} />
          <HeldLinks {...reviewed} />
          <HeldHeader headers={held.headers} />
        </Parts>
      )}
    </Show>
  );
};
