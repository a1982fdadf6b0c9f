/** Takes an approval back, until the mail goes. */

import { api } from '../api/client.ts';
import { sayDone } from '../pieces/toast.tsx';

/** @param releaseAt when it goes: the offer stands as long */
export const sayUndoable = (
  said: string,
  pending_id: string,
  releaseAt: string,
  onUndone: () => Promise<void>,
): void => {
  const run = async (): Promise<string> => {
    await api.heldMail.undo({ pending_id });
    await onUndone();
    return 'It waits for you again';
  };
  sayDone(said, { words: 'Undo', run }, Math.max(1_000, Date.parse(releaseAt) - Date.now()));
};
