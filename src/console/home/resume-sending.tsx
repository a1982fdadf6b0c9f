import { api } from '../api/client.ts';
import { loadOverview } from '../api/overview.ts';
import { loadSession, workspace } from '../api/session.ts';
import { Button } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';

/** Ends a pause or throttle. Earlier bounces no longer count, so the reader must confirm. */
const askToResume = (): void =>
  ask({
    title: `Resume sending for “${workspace.value?.name}”?`,
    verb: 'Resume sending',
    isDanger: false,
    text: (
      <p>
        Bounces and complaints so far count against it no more. Where the same mail goes out again, other hosts may
        refuse all mail of its domains: stop what bounced first.
      </p>
    ),
    run: async () => {
      await api.workspaces.resume({});
      await Promise.all([loadSession(), loadOverview()]);
      return 'Sending is resumed';
    },
  });

export const ResumeSending = () => <Button words="Resume sending" onClick={askToResume} />;
