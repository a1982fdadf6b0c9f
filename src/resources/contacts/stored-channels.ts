/** Converts a caller's channels to their stored form, with keys for comparison. */

import { phoneKey } from '../../contacts/phone.ts';
import { addressKey, parseAddress } from '../../kernel/address.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { StoredChannel } from '../../store/contacts/contacts-mappings.ts';

type Channel = Omit<StoredChannel, 'key'>;

/** The form for comparison; null where the value does not fit its kind. */
const channelKey = ({ kind, value }: Pick<Channel, 'kind' | 'value'>): string | null => {
  if (kind === 'phone') return phoneKey(value) || null;
  const address = parseAddress(value);
  return address && addressKey(address);
};

/** Each kind and key once: the first. Channels without a key are left out. */
export const storedChannels = (channels: readonly Channel[]): StoredChannel[] => {
  const stored = new Map<string, StoredChannel>();
  for (const channel of channels) {
    const key = channelKey(channel);
    const place = `${channel.kind} ${key}`;
    if (key !== null && !stored.has(place)) stored.set(place, { ...channel, key });
  }
  return [...stored.values()];
};

/** @throws ApiError invalid_email, or invalid_request for a phone number without a digit */
export const checkedChannels = (channels: readonly Channel[]): StoredChannel[] => {
  for (const [at, channel] of channels.entries()) {
    if (channelKey(channel) !== null) continue;
    const isEmail = channel.kind === 'email';
    const wanted = isEmail
      ? 'Give an e-mail address without a name, as `a@example.com`.'
      : 'A phone number has a digit.';
    const field = `channels.${at}.value`;
    const hint = `\`${field}\`, not ${JSON.stringify(channel.value.slice(0, 80))}: ${wanted}`;
    const fault = { field, rule: 'form', given: channel.value.slice(0, 80), allowed: wanted } as const;
    throw new ApiError(isEmail ? 'invalid_email' : 'invalid_request', { hint, fault });
  }
  return storedChannels(channels);
};
