import { api } from '../api/client.ts';
import { loadOverview } from '../api/overview.ts';
import { loadSession, workspace } from '../api/session.ts';
import { ask } from '../components/dialog.tsx';

export const askToPauseSending = (): void =>
  ask({
    title: `Pause sending of “${workspace.value?.name}”?`,
    verb: 'Pause sending',
    text: (
      <p>
        Every send of its agents is refused until you resume, and so is what you approve. Mail is still taken in; what
        is queued goes on.
      </p>
    ),
    run: async () => {
      await api.workspaces.pause({});
      await Promise.all([loadSession(), loadOverview()]);
      return 'Sending is paused';
    },
  });
