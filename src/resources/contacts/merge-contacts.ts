import type { Millis } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Contact, StoredChannel } from '../../store/contacts/contacts-mappings.ts';
import { MAX_ADDRESSES, MAX_CHANNELS, MAX_DOMAINS, MAX_MEMORIES, MAX_NOTES } from './limits-contract.ts';

/** Each entry once, by its key: the first one. */
const union = <T>(first: readonly T[], second: readonly T[], keyOf: (entry: T) => string): T[] => {
  const entries = new Map(second.map((entry) => [keyOf(entry), entry]));
  const own = new Map(first.map((entry) => [keyOf(entry), entry]));
  return [...new Map([...own, ...[...entries].filter(([key]) => !own.has(key))]).values()];
};

const joinedNotes = (own: string | null, gained: string | null): string | null => {
  if (own === null || gained === null) return own ?? gained;
  return own.includes(gained) ? own : `${own}\n\n${gained}`;
};

const formatChannelKey = ({ kind, key }: StoredChannel): string => `${kind} ${key}`;

const LIMITS = [
  ['channels', MAX_CHANNELS],
  ['domains', MAX_DOMAINS],
  ['addresses', MAX_ADDRESSES],
  ['memories', MAX_MEMORIES],
] as const;

/**
 * The survivor with its own names, company and title, and the loser's channels, memories, domains, addresses and
 * notes.
 * @throws ApiError invalid_request beyond the bounds of one contact: it could be neither changed nor imported again
 */
export const mergeContacts = (survivor: Contact, loser: Contact, updatedAt: Millis): Contact => {
  const merged: Contact = {
    ...survivor,
    notes: joinedNotes(survivor.notes, loser.notes),
    channels: union(survivor.channels, loser.channels, formatChannelKey),
    domains: union(survivor.domains, loser.domains, String),
    addresses: union(survivor.addresses, loser.addresses, (address) => JSON.stringify(address)),
    memories: [...survivor.memories, ...loser.memories].toSorted((a, b) => a.createdAt - b.createdAt),
    updatedAt,
  };
  for (const [field, most] of LIMITS) {
    if (merged[field].length > most) throw tooMuch(`${most} ${field}`);
  }
  if ((merged.notes?.length ?? 0) > MAX_NOTES) throw tooMuch(`${MAX_NOTES} characters of notes`);
  return merged;
};

const tooMuch = (most: string): ApiError =>
  new ApiError('invalid_request', { hint: `Together they have more than ${most}: take some away first.` });
