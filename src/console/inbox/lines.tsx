/** Lines of mail across agents: unread, agent, correspondent, subject and text, marks, time. */

import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Answer } from '../api/client.ts';
import { Time } from '../components/blocks.tsx';
import { dayOf, plainWords } from '../components/format.ts';
import { otherSideOf } from '../components/mail-parts.tsx';
import { Aloud, Badge, Icon } from '../components/marks.tsx';
import { Excerpt, participantsOf } from '../mail/thread-words.tsx';

import { composing } from '../writing/composing.ts';

type Thread = Answer<'inbox', 'threads'>['threads'][number];
type Hit = Answer<'inbox', 'search'>['hits'][number];
type Draft = Answer<'writing', 'drafts'>['drafts'][number];
type Held = Answer<'heldMail', 'list'>['pending'][number];

interface LineProps {
  href: string;
  agent: string;
  isUnread?: boolean;
  who: string;
  more?: number;
  subject: string;
  words: ComponentChildren;
  marks?: ComponentChildren;
  at: string;
  /** Replaces the link's action. */
  open?: () => void;
}

const Line = ({ href, agent, isUnread = false, who, more = 0, subject, words, marks, at, open }: LineProps) => (
  <li>
    <Link
      class={isUnread ? 'ln unread' : 'ln'}
      href={href}
      onClick={(event: MouseEvent) => {
        if (!open) return;
        event.preventDefault();
        open();
      }}
    >
      <span class="dot">{isUnread && <Aloud>unread</Aloud>}</span>
      <span class="ag clip">{agent}</span>
      <span class="who clip">
        <bdi>{who}</bdi>
        {more > 1 && <span class="n">{more}</span>}
      </span>
      <span class="subj clip">
        <span class="t">
          <bdi>{subject || '(no subject)'}</bdi>
        </span>{' '}
        <span class="sn">{words}</span>
      </span>
      <span class="end">{marks}</span>
      <Time at={at} />
    </Link>
  </li>
);

export const ThreadLines = ({ threads }: { threads: readonly Thread[] }) => (
  <>
    {[...Map.groupBy(threads, ({ last_message_at: at }) => dayOf(at))].map(([day, of]) => (
      <section key={day} aria-label={day}>
        <h2>{day}</h2>
        <ul>
          {of.map((thread) => (
            <Line
              key={thread.id}
              href={`/agents/${thread.agent}/threads/${thread.id}`}
              agent={thread.agent}
              isUnread={thread.unread_count > 0}
              who={participantsOf(thread, thread.agent)}
              more={thread.message_count}
              subject={thread.subject}
              words={<bdi>{plainWords(thread.snippet)}</bdi>}
              marks={
                <>
                  {thread.bounced && <Badge mark="bad">bounced</Badge>}
                  {thread.doubtful && <Badge mark="warn">doubtful</Badge>}
                  {thread.has_files && (
                    <>
                      <Icon name="clip" />
                      <Aloud>with files</Aloud>
                    </>
                  )}
                </>
              }
              at={thread.last_message_at}
            />
          ))}
        </ul>
      </section>
    ))}
  </>
);

export const HitLines = ({ hits }: { hits: readonly Hit[] }) => (
  <ul>
    {hits.map((hit) => (
      <Line
        key={hit.message_id}
        href={`/agents/${hit.agent}/messages/${hit.message_id}`}
        agent={hit.agent}
        who={`${hit.direction === 'out' ? 'to ' : ''}${otherSideOf(hit)}`}
        subject={hit.subject}
        words={<Excerpt text={hit.excerpt} />}
        at={hit.created_at}
      />
    ))}
  </ul>
);

export const HeldLines = ({ held }: { held: readonly Held[] }) => (
  <ul>
    {held.map(({ pending_id: id, agent, to, cc, bcc, subject, expires_at, created_at }) => (
      <Line
        key={id}
        href={`/approvals/${id}`}
        agent={agent ?? 'removed'}
        who={`to ${[...to, ...cc, ...bcc].join(', ')}`}
        subject={subject}
        words={expires_at === null ? '' : 'waits for your decision'}
        marks={<Badge mark="wait">held</Badge>}
        at={created_at}
      />
    ))}
  </ul>
);

/** An answer opens with its conversation, a new mail in a sheet. */
export const DraftLines = ({ drafts }: { drafts: readonly Draft[] }) => (
  <ul>
    {drafts.map(
      ({ draft_id: draftId, agent, kind, message_id: messageId, to, cc, bcc, subject, snippet, updated_at }) => (
        <Line
          key={draftId}
          href={kind === 'new' ? '/mail?show=drafts' : `/agents/${agent}/messages/${messageId}`}
          agent={agent}
          who={`to ${[...to, ...cc, ...bcc].join(', ')}`}
          subject={subject}
          words={<bdi>{plainWords(snippet)}</bdi>}
          marks={<Badge mark="wait">draft</Badge>}
          at={updated_at ?? ''}
          {...(kind === 'new' && {
            open: () => {
              composing.value = { draftId: draftId ?? '' };
            },
          })}
        />
      ),
    )}
  </ul>
);
