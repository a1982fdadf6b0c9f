/** A new mail, in a sheet over the page. It closes freely, because the draft is stored. */

import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer, useLoaded } from '../api/loaded.ts';
import { overview } from '../api/overview.ts';
import { Show } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { Composer } from './composer.tsx';
import { composing } from './composing.ts';

/** Drafts of new mail. */
const Waiting = ({ onClose }: { onClose: () => void }) => {
  const kept = useAnswer(api.writing.drafts, {});
  const drafts = (kept.value?.drafts ?? []).filter(({ kind }) => kind === 'new');
  const [latest] = drafts;
  return (
    <p class="small waiting">
      {latest && (
        <>
          <Button
            words={<span>Go on with “{latest.subject || latest.to[0] || 'no subject'}”</span>}
            kind="quiet"
            isSmall
            onClick={() => {
              composing.value = { draftId: latest.draft_id ?? '' };
            }}
          />
          <Link href="/mail?show=drafts" onClick={onClose}>
            {plural(kept.value?.drafts.length ?? 0, 'draft')}
          </Link>
        </>
      )}
    </p>
  );
};

const Sheet = ({ agent, draftId }: { agent: string; draftId: string | undefined }) => {
  const close = (): void => {
    composing.value = null;
  };
  const begun = useLoaded(
    (signal) =>
      draftId === undefined
        ? api.writing.begin({ agent, kind: 'new' }, { signal })
        : api.writing.draft({ draft_id: draftId }, { signal }),
    `writing ${agent} ${draftId ?? ''}`,
  );
  return (
    <Dialog title="New mail" class="sheet" onClose={close}>
      <Button class="shut" kind="quiet" icon="x" label="Close; the draft is kept" onClick={close} />
      {draftId === undefined && <Waiting onClose={close} />}
      <Show loaded={begun} what="The draft" lines={8}>
        {(draft) => <Composer key={draft.draft_id} draft={draft} isCalled onEnd={close} />}
      </Show>
    </Dialog>
  );
};

export const ComposeSheet = () => {
  const { agent, draftId } = composing.value ?? {};
  const agents = overview.value?.agents ?? [];
  const ofPage = /\/agents\/([^/?]+)/.exec(location.pathname)?.[1];
  const chosen = agent ?? agents.find(({ handle }) => handle === ofPage)?.handle ?? agents[0]?.handle;
  if (composing.value === null || chosen === undefined) return null;
  return <Sheet key={draftId ?? chosen} agent={chosen} draftId={draftId} />;
};
