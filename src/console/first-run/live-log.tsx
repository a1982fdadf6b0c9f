/** Events during the first steps, as they happen. */

import { useState } from 'preact/hooks';
import { isLive, type LiveEvent, useEvents } from '../api/loaded.ts';
import type { Agent } from '../api/overview.ts';
import { Section, Time } from '../components/blocks.tsx';
import { Badge, Icon, type MarkName, TrackMark } from '../components/marks.tsx';

export interface Happened {
  at: string;
  mark: MarkName;
  words: string;
  more?: string;
}

const MOST_SHOWN = 20;

const text = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''));

/** @returns the event's text; null: none here */
const wordsOf = ({ event, data }: LiveEvent, agents: readonly Agent[]): Omit<Happened, 'at'> | null => {
  const subject = text(data.subject);
  const whose = agents.find(({ address }) => address === data.mailbox)?.handle ?? text(data.mailbox);
  switch (event) {
    case 'message.received':
      return { mark: 'ok', words: `Arrived in the mailbox of ${whose}`, more: `${text(data.from)}: ${subject}` };
    case 'message.filtered':
      return { mark: 'warn', words: `Refused by the filter of ${whose}`, more: `${text(data.from)}: ${subject}` };
    case 'message.sent':
      return { mark: 'ok', words: `Sent to ${text(data.to)}`, more: subject };
    case 'message.delivered':
      return { mark: 'ok', words: `Delivered to ${text(data.to)}`, more: subject };
    case 'message.bounced':
      return { mark: 'bad', words: `Bounced from ${text(data.to)}`, more: subject };
    case 'approval.requested':
      return { mark: 'wait', words: `Held for you: ${subject}`, more: `${whose} to ${text(data.to)}` };
    default:
      return null;
  }
};

/** @returns the events, the latest first, and a function to add one */
export const useHappened = (agents: readonly Agent[]) => {
  const [all, setAll] = useState<readonly Happened[]>([]);
  const add = (happened: Omit<Happened, 'at'>): void =>
    setAll((before) => [{ at: new Date().toISOString(), ...happened }, ...before].slice(0, MOST_SHOWN));
  useEvents((event) => {
    const words = wordsOf(event, agents);
    if (words) add(words);
  });
  return { all, add };
};

export const LiveLog = ({ all, address }: { all: readonly Happened[]; address: string | undefined }) => (
  <Section title="Live" end={isLive.value ? <Badge mark="ok">listening</Badge> : <Badge mark="wait">connecting</Badge>}>
    <div class="panel" aria-live="polite">
      {all.length === 0 ? (
        <div class="empty slim">
          <Icon name="mail" />
          <p class="strong">Nothing yet</p>
          <p>
            {address === undefined ? 'Mail' : 'Mail to '}
            {address !== undefined && <span class="mono">{address}</span>} and each act of the agent show here within a
            second.
          </p>
        </div>
      ) : (
        <ol class="track">
          {all.map(({ at, mark, words, more }) => (
            <li key={`${at} ${words}`}>
              <TrackMark name={mark} />
              <span class="strong">{words}</span>
              <Time at={at} as="seconds" />
              {more && (
                <small>
                  <bdi>{more}</bdi>
                </small>
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  </Section>
);
