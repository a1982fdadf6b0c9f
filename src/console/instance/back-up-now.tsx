/** Writes a backup at a click, and shows its path. */

import { api } from '../api/client.ts';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { size } from '../components/format.ts';

export const useBackUp = (onDone: () => void) => {
  const act = useAct();
  const button = (
    <Button
      words="Back up now"
      busy={act.isBusy && 'Backing up…'}
      onClick={() =>
        act.run(async () => {
          const { octets, seconds } = await api.instance.backUp({}, { isLong: true });
          onDone();
          return `A backup of ${size(octets)} was written in ${seconds.toFixed(1)} s`;
        })
      }
    />
  );
  return { button, failure: <ActFailure text={act.failure} /> };
};
