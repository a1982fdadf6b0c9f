/** Creates and expires disposable addresses, and reads their mail. */

import type { Address } from '../../kernel/address.ts';
import { type AgentCaller, mailboxOf } from '../../kernel/caller.ts';
import { isoTime, type RandomBytes, SECOND } from '../../kernel/clock.ts';
import { ApiError, requireFound } from '../../kernel/errors.ts';
import type { Call, Handlers } from '../../kernel/handlers.ts';
import { type Domain, findSubdomain } from '../../store/accounts/domains.ts';
import {
  expireTempAddress,
  findLiveTempAddress,
  insertTempAddress,
  listLiveTempAddresses,
  type TempAddress,
} from '../../store/accounts/temp-addresses.ts';
import { listMessages, type StoredMessage } from '../../store/mail/messages.ts';
import type { Db } from '../../store/store.ts';
import type { MessageDetail } from '../messages/read/contract.ts';
import type { Needs } from '../needs.ts';
import type { tempAddressesContract } from './contract.ts';

export interface TempAddressNeeds extends Needs<'store' | 'clock' | 'newId' | 'random'> {
  /** Reads one message of the caller's mailbox in full, and marks it read. */
  readMessage: (
    caller: AgentCaller,
    input: { id: StoredMessage['id']; part: 'text'; max_chars: number; offset: number },
    call: Call,
  ) => Promise<MessageDetail>;
}

const MAX_LIVE = 5;
/** Characters read of each mail: a confirmation is short. */
const TEXT_CHARS = 8_000;
/** 32 letters and digits without look-alikes: 5 bits each, 80 bits in all. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const NAME_LENGTH = 16;

const view = ({ address, label, expiresAt }: TempAddress) => ({ address, label, expires_at: isoTime(expiresAt) });

export const createTempAddresses = (needs: TempAddressNeeds): Handlers<typeof tempAddressesContract> => {
  const { store, clock, newId, random, readMessage } = needs;
  return {
    create: async (caller, { ttl_seconds, label = null }) => {
      mailboxOf(caller);
      const domain = await requireSubdomain(store.read, caller);
      const createdAt = clock.now();
      const made: TempAddress = {
        mailboxId: newId<'mailbox'>(),
        address: `tmp-${randomName(random)}@${domain.name}` as Address,
        label,
        createdAt,
        expiresAt: createdAt + ttl_seconds * SECOND,
      };
      await store.write(async (tx) => {
        const live = await listLiveTempAddresses(tx.db, caller.agentId, createdAt);
        if (live.length >= MAX_LIVE) throw new ApiError('temp_address_limit_reached');
        await insertTempAddress(tx, made, { agentId: caller.agentId, domainId: domain.id });
      });
      return view(made);
    },

    list: async ({ agentId }) => ({
      addresses: (await listLiveTempAddresses(store.read, agentId, clock.now())).map(view),
    }),

    messages: async (caller, { address, limit }, call) => {
      const found = await findLiveTempAddress(store.read, caller.agentId, address, clock.now());
      const { mailboxId } = requireFound(found, 'temp_address_not_found_or_expired');
      const filter = { unreadOnly: false, includeArchived: true, threadId: null, before: null, limit };
      const messages = [];
      for (const { id } of await listMessages(store.read, mailboxId, filter)) {
        const input = { id, part: 'text', max_chars: TEXT_CHARS, offset: 0 } as const;
        messages.push(await readMessage({ ...caller, mailboxId }, input, call));
      }
      return { messages };
    },

    remove: async (caller, { address }) => {
      await store.write(async (tx) => {
        const live = await findLiveTempAddress(tx.db, caller.agentId, address, clock.now());
        const { mailboxId } = requireFound(live, 'temp_address_not_found');
        // The mailbox is removed with the expired ones, because a mail in transit still needs it.
        await expireTempAddress(tx, mailboxId, clock.now());
      });
      return { deleted: true };
    },
  };
};

const randomName = (random: RandomBytes): string =>
  Array.from(random(NAME_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

const requireSubdomain = async (db: Db, { workspaceId }: AgentCaller): Promise<Domain> => {
  const subdomain = await findSubdomain(db, workspaceId);
  if (!subdomain) throw new Error('A workspace has no subdomain.');
  return subdomain;
};
