/** One message: who it is from and whether that holds, its body, what was found in it, its files, its deliveries. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { CopyButton } from '../pieces/copy.tsx';
import { plural, timeWithSeconds } from '../pieces/format.ts';
import { MailFrame } from '../pieces/mail-frame.tsx';
import { Author, Files, MailText, Recipients } from '../pieces/mail-parts.tsx';
import { Show } from '../pieces/states.tsx';
import { Time } from '../pieces/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { Headers, RawSource } from './raw-source.tsx';
import { SenderProof } from './sender-proof.tsx';

type Message = Answer<'mail', 'thread'>['messages'][number];
type MessageDetail = Answer<'mail', 'message'>;

/** A page of a long mail; more of it comes when asked for. */
const PAGE_CHARS = 50_000;

const Found = ({ codes, links }: Pick<MessageDetail, 'codes' | 'links'>) => (
  <>
    {codes.slice(0, 3).map((code) => (
      <div class="found" key={code}>
        <span>One-time code found</span>
        <output>{code}</output>
        <CopyButton value={code} of="code" words="Copy code" />
      </div>
    ))}
    {codes.length === 0 &&
      links
        .filter(({ action }) => action)
        .slice(0, 2)
        .map(({ url: link }) => (
          <div class="found" key={link}>
            <span>Link to confirm found, to</span>
            <span class="mono clip">{hostOf(link)}</span>
            <CopyButton value={link} of="link" words="Copy link" />
          </div>
        ))}
  </>
);

const hostOf = (link: string): string => {
  try {
    return new URL(link).host;
  } catch {
    return link;
  }
};

const Body = ({ agent, detail }: { agent: string; detail: MessageDetail }) => {
  const [isText, setText] = useState(detail.html === null);
  const [isRemote, setRemote] = useState(false);
  const [raw, setRaw] = useState<'raw' | 'headers' | null>(null);
  const { id, remote_images: images } = detail;
  return (
    <>
      <div class={isText ? 'body' : 'body framed'}>
        {isText ? (
          <>
            <MailText text={detail.text} />
            {detail.next_offset !== null && <p class="dim">The mail goes on; its raw source has all of it.</p>}
          </>
        ) : (
          <MailFrame path="mail/html" input={{ agent, id }} isRemote={isRemote} title={`Message: ${detail.subject}`} />
        )}
      </div>
      <Found codes={detail.codes} links={detail.links} />
      <Files files={detail.attachments} path="mail/attachment" input={{ agent, id }} />
      {detail.direction === 'out' && <Deliveries detail={detail} />}
      <footer>
        {detail.spam_verdict && <span>Spam verdict {detail.spam_verdict}</span>}
        {!isText && images > 0 && !isRemote && <span>{plural(images, 'remote image')} not loaded</span>}
        {detail.opens.count > 0 && <span>Opened {plural(detail.opens.count, 'time')}</span>}
        {detail.archived && <span>Archived</span>}
        <span class="end">
          {!isText && images > 0 && (
            <button type="button" class="link accent" onClick={() => setRemote(!isRemote)}>
              {isRemote ? 'Without remote images' : 'Load remote images'}
            </button>
          )}
          {detail.html !== null && (
            <button type="button" class="link accent" onClick={() => setText(!isText)}>
              {isText ? 'HTML' : 'Plain text'}
            </button>
          )}
          <button type="button" class="link accent" onClick={() => setRaw('headers')}>
            Headers
          </button>
          <button type="button" class="link accent" onClick={() => setRaw('raw')}>
            Raw source
          </button>
        </span>
      </footer>
      {raw === 'raw' && <RawSource agent={agent} id={id} onClose={() => setRaw(null)} />}
      {raw === 'headers' && <Headers headers={detail.headers} onClose={() => setRaw(null)} />}
    </>
  );
};

const STATUS: Readonly<Record<string, string>> = { sent: 'under way' };

const wayOf = ({ direction, via, in_reply_to, status }: MessageDetail): string => {
  if (direction === 'in') return '';
  const kind = in_reply_to === null ? 'sent' : 'reply';
  return `${kind}${via ? `, by ${via}` : ''}, ${STATUS[status] ?? status}`;
};

interface MessageProps {
  agent: string;
  message: Message;
  /** Whether a link named it: it is brought into view. */
  isNamed: boolean;
  onChange: () => void;
}

export const ShownMessage = ({ agent, message, isNamed }: MessageProps) => {
  const section = useRef<HTMLElement>(null);
  const loaded = useLoaded(
    (signal) => api.mail.message({ agent, id: message.id, max_chars: PAGE_CHARS }, { signal }),
    `${agent} ${message.id}`,
  );
  useLive(
    (event) => event?.data.message_id === message.id,
    () => void loaded.reload(),
  );
  useEffect(() => {
    if (isNamed) section.current?.scrollIntoView({ block: 'start' });
  }, [isNamed]);
  const known = overview.value?.agents.find(({ handle }) => handle === agent);
  const isOwn = message.direction === 'out' && known ? { isOwn: agent } : {};
  const detail = loaded.value;
  return (
    <section
      class={`msg ${message.unread ? 'unread' : ''}`}
      ref={section}
      aria-label={`Message from ${message.from}, ${timeWithSeconds(message.created_at)}`}
    >
      <header>
        <div>
          <Author named={message.from} {...isOwn} />
          <Recipients
            fields={[
              ['to', message.to],
              ['cc', message.cc],
            ]}
          />
        </div>
        <div>
          <Time at={message.created_at} as="day" />
          <p>
            {message.unread && <b class="accent">unread </b>}
            {detail && wayOf(detail)}
            {detail?.contact && message.direction === 'in' && `In contacts: ${detail.contact.name}`}
          </p>
        </div>
      </header>
      {message.direction === 'in' && <SenderProof message={message} />}
      <Show loaded={loaded} what="The message" lines={5}>
        {(value) => <Body agent={agent} detail={value} />}
      </Show>
    </section>
  );
};
