import { api } from '../api/client.ts';
import { loadOverview } from '../api/overview.ts';
import { loadSession, workspace } from '../api/session.ts';
import { Ask } from '../components/dialog.tsx';

export const PauseSending = ({ onClose }: { onClose: () => void }) => (
  <Ask
    title={`Pause sending of “${workspace.value?.name}”?`}
    verb="Pause sending"
    onClose={onClose}
    run={async () => {
      await api.workspaces.pause({});
      await Promise.all([loadSession(), loadOverview()]);
      return 'Sending is paused';
    }}
  >
    <p>
      Every send of its agents is refused until you resume, and so is what you approve. Mail is still taken in; what is
      queued goes on.
    </p>
  </Ask>
);
