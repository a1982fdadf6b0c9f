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
    <Button words={verb} isSmall disabled={disabled} onClick={run} />
    <Button words="Cancel" isSmall kind="danger" onClick={cancel} />
  </span>
);
