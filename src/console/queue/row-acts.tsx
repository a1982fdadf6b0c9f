/** A row's acts: one that changes when its mail goes, and its end. */

import { Button } from '../components/controls.tsx';

interface RowActsProps {
  verb: string;
  disabled?: boolean;
  run: () => void;
  cancel: () => void;
}

export const RowActs = ({ verb, disabled = false, run, cancel }: RowActsProps) => (
  <span class="acts-inline">
    <Button isSmall disabled={disabled} onClick={run}>
      {verb}
    </Button>
    <Button isSmall kind="danger" onClick={cancel}>
      Cancel
    </Button>
  </span>
);
