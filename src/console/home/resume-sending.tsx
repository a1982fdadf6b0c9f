import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { loadOverview } from '../api/overview.ts';
import { loadSession, workspace } from '../api/session.ts';
import { Button } from '../components/controls.tsx';
import { Ask } from '../components/dialog.tsx';

/** Ends a pause or throttle. Earlier bounces no longer count, so the reader must confirm. */
export const ResumeSending = () => {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button onClick={() => setAsked(true)}>Resume sending</Button>
      {isAsked && (
        <Ask
          title={`Resume sending for “${workspace.value?.name}”?`}
          verb="Resume sending"
          isDanger={false}
          onClose={() => setAsked(false)}
          run={async () => {
            await api.workspaces.resume({});
            await Promise.all([loadSession(), loadOverview()]);
            return 'Sending is resumed';
          }}
        >
          <p>
            Bounces and complaints so far count against it no more. Where the same mail goes out again, other hosts may
            refuse all mail of its domains: stop what bounced first.
          </p>
        </Ask>
      )}
    </>
  );
};
