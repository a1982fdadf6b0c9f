import { requireForeignAddress } from '../../access/own-address.ts';
import { type RateLimit, requireAllowance } from '../../access/rate-limit.ts';
import { type FairQueue, QueueRefused } from '../../budget/fair-queue.ts';
import { addressKey } from '../../kernel/address.ts';
import { isoTime } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Handlers } from '../../kernel/handlers.ts';
import { siteOf } from '../../net/ip/client-network.ts';
import { newSecret } from '../../seal/secret-token.ts';
import { type Agent, isHandleTaken } from '../../store/accounts/agents.ts';
import { CLAIM_WITHIN_MS, countUnclaimed } from '../../store/accounts/claims.ts';
import type { Domain } from '../../store/accounts/domains.ts';
import type { NewWorkspaceRow } from '../../store/accounts/workspaces.ts';
import type { Db, Tx } from '../../store/store.ts';
import type { Needs } from '../needs.ts';
import type { signupContract } from './contract.ts';

/** Signups an hour from one IPv4 address or IPv6 /48; refused ones are not counted. */
export const SIGNUPS_PER_HOUR = 10;

/** Limits one network to half of the unclaimed workspaces, which are kept for 30 days each. */
export const signupsPerDay = (maxUnclaimed: number): number =>
  Math.max(SIGNUPS_PER_HOUR, Math.floor(maxUnclaimed / 60));

const PLAN = 'free';
/** The name of an agent's first key. */
const FIRST_KEY = 'default';

const CLAIM_LINK =
  'Give claim_url to the person you work for: pressing the button there has a link mailed to the address of this signup.';
const NO_CLAIM_LINK =
  'No `email` was given, so no claim link can be mailed: the operator of this service can make a person the owner.';

const nextSteps = (claim: string): string[] => [
  'Keep api_key: it is shown this once. Send it as `Authorization: Bearer`, over REST and at mcp_url.',
  `${claim} Until then you receive mail and cannot send.`,
  'Meanwhile read and wait: GET /v1/messages/wait.',
  'GET /v1/changes tells `agent.claimed`; GET /v1/identity says by `can_send` whether you may send, and why not.',
];

interface NewSignup {
  name: string;
  ownerEmail: string;
  plan: string;
  verified: false;
  claimHash: Buffer;
}

export interface SignupNeeds extends Needs<'store' | 'clock' | 'vaultKey' | 'publicUrl' | 'baseDomain'> {
  /** Signups per site, by hour and by day. */
  limit: RateLimit;
  dayLimit: RateLimit;
  /** Making DKIM keys takes threads, so signups queue for each other. */
  queue: FairQueue;
  /** Whether agents may sign up at all. */
  isOpen: boolean;
  /** Unclaimed workspaces of the instance. */
  maxUnclaimed: number;
  addWorkspace<T>(
    wanted: NewSignup,
    inTransaction: (tx: Tx, workspace: NewWorkspaceRow, domain: Domain) => Promise<T>,
  ): Promise<T>;
  /** The agent with its first key. */
  addAgent(
    tx: Tx,
    wanted: { workspace: NewWorkspaceRow; domain: Domain; handle: string; description: string | null; keyName: string },
  ): Promise<{ agent: Agent; keyId: string; apiKey: string }>;
}

export const createSignup = (needs: SignupNeeds): Handlers<typeof signupContract> => {
  const { store, clock, publicUrl, baseDomain, limit, dayLimit, queue, maxUnclaimed } = needs;

  const refuseAbove = async (db: Db, most: number): Promise<void> => {
    if ((await countUnclaimed(db)) <= most) return;
    throw new ApiError('rate_limited', {
      hint: 'This service takes no signups now: too many wait for their claim. Its operator can make a workspace.',
      headers: { 'retry-after': '3600' },
    });
  };

  return {
    signUp: async ({ network }, { handle, email, workspace_name, description }, { record }) => {
      if (!needs.isOpen) throw new ApiError('signup_closed');
      if (!needs.vaultKey) throw new ApiError('vault_unavailable');
      // An agent that reads its owner's mail could claim the workspace itself.
      if (email) await requireForeignAddress(store.read, addressKey(email.address), baseDomain);
      const site = siteOf(network);
      if (!dayLimit.peek(site).allowed) {
        requireAllowance(dayLimit, site, clock, 'One network has made enough workspaces today.');
      }
      requireAllowance(limit, site, clock, `At most ${SIGNUPS_PER_HOUR} signups an hour come from one network.`);
      dayLimit.take(site);
      const { token, hash: claimHash } = newSecret();
      const ownerEmail = email ? addressKey(email.address) : '';
      const wanted = { name: workspace_name ?? handle, ownerEmail, plan: PLAN, verified: false, claimHash } as const;
      const signUp = async () => {
        if (await isHandleTaken(store.read, handle)) throw new ApiError('handle_taken');
        await refuseAbove(store.read, maxUnclaimed - 1);
        return needs.addWorkspace(wanted, async (tx, workspace, domain) => {
          // The count includes the new workspace.
          await refuseAbove(tx.db, maxUnclaimed);
          const { agent, keyId, apiKey } = await needs.addAgent(tx, {
            workspace,
            domain,
            handle,
            description: description ?? null,
            keyName: FIRST_KEY,
          });
          const detail = { agent: handle, owner: ownerEmail || null, key_id: keyId };
          return record(
            tx,
            { workspaceId: workspace.id, subject: workspace.slug, detail },
            {
              handle,
              address: agent.address as string,
              api_key: apiKey,
              mcp_url: `${publicUrl}/mcp?tools=core`,
              claim_url: `${publicUrl}/claim/${token}`,
              claim_by: isoTime(workspace.createdAt + CLAIM_WITHIN_MS),
              next: nextSteps(email ? CLAIM_LINK : NO_CLAIM_LINK),
            },
          );
        });
      };
      try {
        return await queue.run({ network }, signUp);
      } catch (error) {
        limit.giveBack(site);
        dayLimit.giveBack(site);
        if (!(error instanceof QueueRefused)) throw error;
        throw new ApiError('overloaded', { headers: { 'retry-after': '10' }, cause: error });
      }
    },
  };
};
