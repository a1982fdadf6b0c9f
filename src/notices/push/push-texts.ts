/** What a push says: of held mail as the notices by mail say it, bounded, and never a mail's body. */

import { formatNamed } from '../../kernel/address.ts';
import { isolated, plainLine } from '../../kernel/text/clean-text.ts';
import { findAgentById } from '../../store/accounts/agents.ts';
import { findLiveWorkspace } from '../../store/accounts/workspaces.ts';
import type { PushMessage } from '../../store/owners/push-messages.ts';
import { type HeldSend, listHeldSends, MAY_HOLD_SECRET } from '../../store/sending/held-sends.ts';
import type { Db } from '../../store/store.ts';
import { HOLD_REASONS } from '../notice-kinds.ts';

/** What the service worker shows (console/told/worker.ts). */
export interface PushText {
  title: string;
  body: string;
  /** Shown in place of what is there under the same. */
  tag: string;
  /** A path of the console. */
  url: string;
}

/** Held mails that are counted. */
const MOST_HELD = 100;
/** The most characters of a title, and of a line. */
const MAX_CHARS = 150;

const clip = (text: string): string => {
  const line = plainLine(text);
  const characters = [...line];
  return isolated(characters.length > MAX_CHARS ? `${characters.slice(0, MAX_CHARS - 1).join('')}…` : line);
};

const clipPush = ({ title, body, tag, url }: PushText): PushText => ({
  title: clip(title),
  body: body.split('\n').slice(0, 3).map(clip).join('\n'),
  tag,
  url,
});

/** The subject of mail that was held for a secret does not leave by a push either. */
const heldBody = (pending: HeldSend): string => {
  const { to, cc, bcc, reason, subject } = pending;
  const recipients = `To: ${[...to, ...cc, ...bcc].map(formatNamed).join(', ')}`;
  return `${recipients}\n${MAY_HOLD_SECRET.has(reason) ? HOLD_REASONS[reason] : `Subject: ${subject}`}`;
};

/** Null where nothing waits any more. */
export const composePush = async (db: Db, { workspaceId, tag, data }: PushMessage): Promise<PushText | null> => {
  const workspace = await findLiveWorkspace(db, workspaceId);
  if (!workspace) return null;
  // The console shows one workspace at a time.
  const at = (path: string): string => `${path}?workspace=${workspace.slug}`;
  if (data.kind === 'need') return clipPush({ ...data, url: at(data.url), tag });
  const held = await listHeldSends(db, { workspaceId, isUndecided: true, limit: MOST_HELD });
  const [newest] = held;
  if (!newest) return null;
  const handle = (await findAgentById(db, newest.agentId))?.handle ?? 'a removed agent';
  const title =
    held.length === 1
      ? `A mail of ${handle} waits for your decision`
      : `${held.length}${held.length === MOST_HELD ? ' or more' : ''} mails wait for your decision`;
  const first = held.length === 1 ? [] : [`The newest is of ${handle}`];
  const body = [...first, heldBody(newest)].join('\n');
  return clipPush({ title, body, tag, url: at(`/console/approvals/${newest.id}`) });
};
