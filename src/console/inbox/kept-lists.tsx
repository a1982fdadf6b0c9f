/** Views of Mail without threads: held mail, and drafts. */

import { api } from '../api/client.ts';
import { useAnswer, useReloadAfter, useReloadOn } from '../api/loaded.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { draftsLeft } from '../writing/composing.ts';
import { DraftLines, HeldLines } from './lines.tsx';

export const Held = ({ agent }: { agent: string }) => {
  const list = useAnswer(api.heldMail.list, {});
  useReloadAfter(/^approval\./, list);
  return (
    <Show loaded={list} what="The held mail" lines={6}>
      {({ pending }) => {
        const shown = pending.filter((held) => agent === '' || held.agent === agent);
        return (
          <div class="box">
            {shown.length === 0 ? (
              <Empty icon="approve" title="Nothing is held">
                Mail that waits for your decision stands here.
              </Empty>
            ) : (
              <HeldLines held={shown} />
            )}
          </div>
        );
      }}
    </Show>
  );
};

export const Drafts = ({ agent }: { agent: string }) => {
  const list = useAnswer(api.writing.drafts, {});
  useReloadOn(list, [draftsLeft.value]);
  return (
    <Show loaded={list} what="The drafts" lines={6}>
      {({ drafts }) => {
        const shown = drafts.filter((draft) => agent === '' || draft.agent === agent);
        return (
          <div class="box">
            {shown.length === 0 ? (
              <Empty icon="note" title="No drafts">
                What you write in the name of an agent and have not sent is kept here, for you alone.
              </Empty>
            ) : (
              <DraftLines drafts={shown} />
            )}
          </div>
        );
      }}
    </Show>
  );
};
