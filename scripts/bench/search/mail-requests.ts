/** What is asked of a mailbox: lists, reads, and every kind of search. */

const WORDS =
  'invoice meeting delivery contract offer ticket report summer train music garden river winter paper bridge candle market window planet harbour'.split(
    ' ',
  );

const wordAt = (at: number): string => WORDS[at % WORDS.length] ?? '';

/** A word that this mail alone has. */
const nameOf = (at: number): string => `ref${at.toString(36)}x`;

/** Mail `at` of a mailbox: words that many have, few have, and one alone has. */
export const mailAt = (at: number) => ({
  subject: `${wordAt(at)} ${wordAt(at * 7 + 3)} ${nameOf(at)}`,
  from: `Carol ${at % 997} <carol${at % 997}@remote.test>`,
  direction: at % 5 === 0 ? ('out' as const) : ('in' as const),
  body: `Dear Ann, about the ${wordAt(at * 3 + 1)} and the ${wordAt(at * 11 + 5)}: it is ${
    at % 100 === 0 ? 'urgent' : 'fine'
  }. ${at % 10_000 === 0 ? 'Kangaroos attend.' : ''} Many regards from the office.`,
});

export interface Sample {
  readonly mails: number;
  readonly messageIds: readonly string[];
  readonly threadIds: readonly string[];
}

const pick = <T>(all: readonly T[], turn: number): T => all[(turn * 7919) % all.length] as T;
const search = (q: string): string => `/v1/search?q=${encodeURIComponent(q)}`;

export interface Kind {
  readonly group: 'list' | 'read' | 'search';
  readonly path: (turn: number, sample: Sample) => string;
}

export const MAIL_KINDS: Readonly<Record<string, Kind>> = {
  'list messages': { group: 'list', path: () => '/v1/messages' },
  'list threads': { group: 'list', path: () => '/v1/threads' },
  'read a message': { group: 'read', path: (turn, { messageIds }) => `/v1/messages/${pick(messageIds, turn)}` },
  'read a thread': { group: 'read', path: (turn, { threadIds }) => `/v1/threads/${pick(threadIds, turn)}` },
  'search, a word of one mail': { group: 'search', path: (turn, { mails }) => search(nameOf((turn * 7919) % mails)) },
  'search, a word of few': { group: 'search', path: () => search('kangaroos') },
  'search, a word of many': { group: 'search', path: (turn) => search(wordAt(turn)) },
  'search, a word of all': { group: 'search', path: () => search('regards') },
  'search, three words': { group: 'search', path: (turn) => search(`${wordAt(turn)} urgent regards`) },
  'search, a phrase': { group: 'search', path: () => search('"regards from the office"') },
  'search, a beginning': { group: 'search', path: (turn) => search(`${wordAt(turn).slice(0, 4)}*`) },
  'search, a word and not another': { group: 'search', path: (turn) => search(`regards -${wordAt(turn)}`) },
  'search, one or another': { group: 'search', path: (turn) => search(`kangaroos OR ${wordAt(turn)}`) },
  'search, a sender': { group: 'search', path: (turn) => search(`from:carol${turn % 997}`) },
  'search, no hit': { group: 'search', path: (turn) => search(`absent${turn} regards`) },
  'filter, much fits': { group: 'search', path: () => search('is:unread') },
  'filter, nothing fits': { group: 'search', path: () => search('has:attachment') },
};
