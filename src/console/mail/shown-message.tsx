/** One message: its author and authentication, its body, codes and links, files and deliveries. */

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useLive, useLoaded } from '../api/loaded.ts';
import { Files } from '../attachments/files.tsx';
import { Show } from '../components/blocks.tsx';
import { CopyButton } from '../components/copy.tsx';
import { count, plural, timeWithSeconds } from '../components/format.ts';
import { MailFrame } from '../components/mail-frame.tsx';
import { MailText, splitAddress } from '../components/mail-parts.tsx';
import { Badge, type MarkName } from '../components/marks.tsx';
import type { AnswerKind } from '../writing/reply-bar.tsx';
import { Deliveries } from './deliveries.tsx';
import { Menu, MenuAct } from './menu.tsx';
import { Headers, RawSource } from './raw-source.tsx';
import { useSenderProof } from './sender-proof.tsx';

type Message = Answer<'mail', 'thread'>['messages'][number];
export type MessageDetail = Answer<'mail', 'message'>;

/** Characters of a long mail's page; the next one loads on request. */
const PAGE_CHARS = 50_000;

export const loadMessage = (agent: string, id: string, signal: AbortSignal): Promise<MessageDetail> =>
  api.mail.message({ agent, id, max_chars: PAGE_CHARS }, { signal });

const hostOf = (link: string): string => {
  try {
    return new URL(link).host;
  } catch {
    return link;
  }
};

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

const STATUS: Readonly<Record<string, readonly [MarkName, string]>> = {
  sent: ['wait', 'under way'],
  delivered: ['ok', 'delivered'],
  bounced: ['bad', 'bounced'],
  complained: ['bad', 'complained'],
};

/** The state of sent mail; nothing for received mail. */
export const SentState = ({ direction, status }: Pick<Message, 'direction' | 'status'>) => {
  const [mark, words] = STATUS[status] ?? ['off', status];
  return direction === 'out' ? <Badge mark={mark}>{words}</Badge> : null;
};

/** Each folded by its name. */
const Folded = ({ folds, children }: { folds: MessageDetail['folds'] | null; children: ComponentChildren }) => {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const parts = [
    ['quoted text', folds?.quoted ?? ''],
    ['signature', folds?.signature ?? ''],
  ] as const;
  const there = parts.filter(([, text]) => text !== '');
  const toggle = (name: string): void =>
    setShown(new Set(shown.has(name) ? [...shown].filter((each) => each !== name) : [...shown, name]));
  return (
    <>
      <div class="folds">
        {there.map(([name]) => (
          <button key={name} type="button" aria-expanded={shown.has(name)} onClick={() => toggle(name)}>
            {shown.has(name) ? 'Hide' : 'Show'} {name}
          </button>
        ))}
        {children}
      </div>
      {there
        .filter(([name]) => shown.has(name))
        .map(([name, text]) => (
          <div class="quoted" key={name}>
            <MailText text={text} />
          </div>
        ))}
    </>
  );
};

interface BodyProps {
  agent: string;
  detail: MessageDetail;
  isText: boolean;
}

const Body = ({ agent, detail, isText }: BodyProps) => {
  const [isRemote, setRemote] = useState(false);
  const { id, remote_images: images, folds } = detail;
  return (
    <>
      <div class={isText ? 'body' : 'body framed'}>
        {isText ? (
          <>
            <MailText text={folds.own} />
            {detail.next_offset !== null && <p class="dim">The mail goes on; its raw source has all of it.</p>}
          </>
        ) : (
          <MailFrame path="mail/html" input={{ agent, id }} isRemote={isRemote} title={`Message: ${detail.subject}`} />
        )}
      </div>
      <Folded folds={isText ? folds : null}>
        {!isText && images > 0 && (
          <button type="button" onClick={() => setRemote(!isRemote)}>
            {isRemote ? 'Without remote images' : `Load ${plural(images, 'remote image')}`}
          </button>
        )}
      </Folded>
      <Found codes={detail.codes} links={detail.links} />
      <Files files={detail.attachments} noun="mail" input={{ agent, id }} hasHtml={!isText} />
      {detail.direction === 'out' && <Deliveries detail={detail} />}
    </>
  );
};

/** Further short notes on it. */
const notesOf = (agent: string, message: Message, detail: MessageDetail | null): string[] => [
  ...(detail?.direction === 'out'
    ? [
        detail.sent_by === null
          ? `${detail.in_reply_to === null ? 'sent' : 'reply'}${detail.via ? ` by ${detail.via}` : ''}`
          : `sent by ${detail.sent_by} for ${agent}`,
      ]
    : []),
  ...(detail?.contact && message.direction === 'in' ? [`in contacts: ${detail.contact.name}`] : []),
  ...(message.automatic ? ['sent by a machine'] : []),
  ...message.defects,
  ...(detail?.spam_verdict === 'FAIL' ? ['looks like spam'] : []),
  ...(detail && detail.opens.count > 0 ? [`opened ${plural(detail.opens.count, 'time')}`] : []),
  ...(message.archived ? ['archived'] : []),
];

/** Recipients of a field that are shown; its sender may name a thousand. */
const MOST_RECIPIENTS = 20;

/** The title row copies the agent's own address. */
const Recipient = ({ named, short, isLast }: { named: string; short: string; isLast: boolean }) => {
  const { address } = splitAddress(named);
  return (
    <span class="recipient">
      <bdi>{short}</bdi>
      {short === named && <CopyButton value={address} of={address} />}
      {!isLast && ', '}
    </span>
  );
};

interface MessageProps {
  agent: string;
  /** The agent's address, which is shown by its handle. */
  address: string | undefined;
  message: Message;
  /** Loaded with the thread. */
  first: MessageDetail | undefined;
  mark: (unread: boolean) => void;
  answer: (kind: AnswerKind) => void;
}

export const ShownMessage = ({ agent, address: own, message, first, mark, answer }: MessageProps) => {
  const given = useRef(first);
  const loaded = useLoaded((signal) => {
    const at = given.current;
    given.current = undefined;
    return at ? Promise.resolve(at) : loadMessage(agent, message.id, signal);
  }, `${agent} ${message.id}`);
  useLive(
    (event) => event?.data.message_id === message.id,
    () => void loaded.reload(),
  );
  const detail = loaded.value ?? first ?? null;
  const [isPlain, setPlain] = useState(false);
  const [raw, setRaw] = useState<'raw' | 'headers' | null>(null);
  const { badge, strip } = useSenderProof(message);
  const { name, address } = splitAddress(message.from);
  const shortOf = (named: string): string => (splitAddress(named).address === own ? agent : named);
  const recipients = [
    ['to', message.to],
    ['cc', message.cc],
  ] as const;
  const isText = isPlain || detail?.html === null;
  return (
    <>
      <Menu label={`More for the message of ${message.from}, ${timeWithSeconds(message.created_at)}`}>
        <MenuAct words="Reply" hint="r" onClick={() => answer('reply')} />
        <MenuAct words="Reply to all" hint="R" onClick={() => answer('reply_all')} />
        <MenuAct words="Forward" hint="f" onClick={() => answer('forward')} />
        {message.direction === 'in' && (
          <MenuAct
            words={message.unread ? 'Mark read' : 'Mark unread'}
            hint="u"
            onClick={() => mark(!message.unread)}
          />
        )}
        {detail && detail.html !== null && (
          <MenuAct words={isPlain ? 'HTML' : 'Plain text'} onClick={() => setPlain(!isPlain)} />
        )}
        <MenuAct words="Headers" onClick={() => setRaw('headers')} />
        <MenuAct words="Raw source" hint="v" onClick={() => setRaw('raw')} />
      </Menu>
      <div class="to">
        <span class="copy">
          {(name !== null || message.direction === 'out') && <span class="val">{address}</span>}
          <CopyButton value={address} of={address} />
        </span>
        <span class="recipients">
          {recipients
            .filter(([, all]) => all.length > 0)
            .map(([label, all], at) => (
              <span key={label}>
                {at > 0 && ', '}
                {label}{' '}
                {all.slice(0, MOST_RECIPIENTS).map((named, n) => (
                  <Recipient key={named} named={named} short={shortOf(named)} isLast={n === all.length - 1} />
                ))}
                {all.length > MOST_RECIPIENTS && `and ${count(all.length - MOST_RECIPIENTS)} more, in the header`}
              </span>
            ))}
        </span>
        {notesOf(agent, message, detail).map((note) => (
          <span key={note} class="faint">
            <bdi>{note}</bdi>
          </span>
        ))}
        <span class="end">
          {badge}
          <SentState {...message} />
        </span>
      </div>
      {strip}
      {detail ? (
        <Body agent={agent} detail={detail} isText={isText} />
      ) : (
        <div class="body">
          <Show loaded={loaded} what="The message" lines={5}>
            {() => null}
          </Show>
        </div>
      )}
      {raw === 'raw' && <RawSource agent={agent} id={message.id} onClose={() => setRaw(null)} />}
      {raw === 'headers' && detail && <Headers headers={detail.headers} onClose={() => setRaw(null)} />}
    </>
  );
};
