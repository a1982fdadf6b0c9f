/** Says what was approved and whom it goes to; until it goes, it can be taken back. */

import { type Answer, api } from '../api/client.ts';
import { plural } from '../pieces/format.ts';
import { splitAddress } from '../pieces/mail-parts.tsx';
import { sayDone } from '../pieces/toast.tsx';

export type Approved = Answer<'heldMail', 'approve'>;

type Named = Pick<Approved, 'to' | 'cc' | 'bcc'>;

/** carol@example.com and 2 others */
export const nameRecipients = ({ to, cc, bcc }: Named): string => {
  const [first = '', ...others] = [...to, ...cc, ...bcc].map((each) => splitAddress(each).address);
  return others.length === 0 ? first : `${first} and ${plural(others.length, 'other')}`;
};

/** Where its delivery is told; a mail that still waits for its time, or an endpoint, has a page of its own. */
const linkTo = ({ pending_id, message_id, agent }: Approved): string =>
  message_id && agent ? `/agents/${agent}/messages/${message_id}` : `/approvals/${pending_id}`;

/** @param approved one, or several that were approved together */
export const sayApproved = (approved: readonly Approved[], onUndone: (id: string) => Promise<void>): void => {
  const [first] = approved;
  if (!first) return;
  const going = approved.filter(({ release_at }) => release_at !== null);
  const verb = going.length > 0 ? 'Goes' : 'Sent';
  const text = approved.length === 1 ? `${verb} to ${nameRecipients(first)}` : `${verb}: ${approved.length} messages`;
  const run = async (): Promise<string> => {
    for (const { pending_id } of going) await api.heldMail.undo({ pending_id });
    await onUndone(first.pending_id);
    return approved.length === 1 ? 'It waits for you again' : 'They wait for you again';
  };
  const releaseAt = Math.min(...going.map(({ release_at }) => Date.parse(release_at ?? '')));
  sayDone(text, going.length > 0 ? { words: 'Undo', run } : undefined, {
    ...(going.length > 0 && { shownMs: Math.max(1_000, releaseAt - Date.now()) }),
    ...(approved.length === 1 && { link: { href: linkTo(first), words: 'See the delivery' } }),
  });
};
