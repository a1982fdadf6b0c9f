/** Names the approved mail and its recipients; until it is sent, the approval can be undone. */

import { type Answer, api, serverNow } from '../api/client.ts';
import { going, loadOverview } from '../api/overview.ts';
import { plural } from '../components/format.ts';
import { splitAddress } from '../components/mail-parts.tsx';
import { sayDone } from '../components/toast.tsx';

export type Approved = Answer<'heldMail', 'approve'>;

type Named = Pick<Approved, 'to' | 'cc' | 'bcc'>;

/** carol@example.com and 2 others */
export const nameRecipients = ({ to, cc, bcc }: Named): string => {
  const [first = '', ...others] = [...to, ...cc, ...bcc].map((each) => splitAddress(each).address);
  return others.length === 0 ? first : `${first} and ${plural(others.length, 'other')}`;
};

/** The page with its delivery; mail that still waits, or an endpoint, has a page of its own. */
const linkTo = ({ pending_id, message_id, agent }: Approved): string =>
  message_id && agent ? `/agents/${agent}/messages/${message_id}` : `/approvals/${pending_id}`;

const forget = (gone: readonly Approved[]): void => {
  const ids = new Set(gone.map(({ pending_id }) => pending_id));
  going.value = going.value.filter(({ pending_id }) => !ids.has(pending_id));
};

/** @param approved one, or several that were approved together */
export const sayApproved = (approved: readonly Approved[], onUndone: (id: string) => Promise<void>): void => {
  const [first] = approved;
  if (!first) return;
  const waiting = approved.filter(({ release_at }) => release_at !== null);
  const verb = waiting.length > 0 ? 'Goes' : 'Sent';
  const text = approved.length === 1 ? `${verb} to ${nameRecipients(first)}` : `${verb}: ${approved.length} messages`;
  const undo = async (): Promise<string> => {
    for (const { pending_id } of waiting) await api.heldMail.undo({ pending_id });
    forget(waiting);
    await onUndone(first.pending_id);
    return approved.length === 1 ? 'It waits for you again' : 'They wait for you again';
  };
  const releaseAt = Math.min(...waiting.map(({ release_at }) => Date.parse(release_at ?? '')));
  const shownMs = Math.max(1_000, releaseAt - serverNow());
  if (waiting.length > 0) {
    going.value = [...going.value, ...waiting];
    setTimeout(() => {
      forget(waiting);
      void loadOverview();
    }, shownMs);
  }
  sayDone(text, waiting.length > 0 ? undo : undefined, {
    ...(waiting.length > 0 && { shownMs }),
    ...(approved.length === 1 && { link: { href: linkTo(first), words: 'See the delivery' } }),
  });
};
