/** What an agent is told of mail that is held: why, and what to do now. */

import type { HoldReason } from '../../store/sending/held-sends.ts';

const WAITING =
  'Accepted: do not send it again. `get_pending` (GET /v1/messages/pending/{id}) has the decision; without one it expires unsent at `expires_at`.';

const HINTS: Record<HoldReason, string> = {
  agent_on_hold: 'A person reviews all that you send, replies too.',
  thread_failed_authentication:
    'A mail of this thread failed authentication, so a person looks first. Other mail goes.',
  recipient_failed_authentication:
    'Mail that failed authentication named this recipient, so a person looks first. Other mail goes.',
  holds_a_secret: 'It holds a value of the vault, so a person looks first. Without the value it would go at once.',
  secrets_not_checked: 'The key of the vault is missing, so all mail waits for a person. The operator is told.',
  guesses_secrets: 'A mail of yours held a value of the vault that you have no grant of: for 24 h all of it waits.',
};

export const hintOfHold = (reason: HoldReason): string => `${HINTS[reason]} ${WAITING}`;
