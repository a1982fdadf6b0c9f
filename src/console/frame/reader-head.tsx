/** The head of what is open: its name, and what can be done with it. */

import type { ComponentChildren } from 'preact';
import { Button } from '../pieces/controls.tsx';

interface ReaderHeadProps {
  name: string;
  remove: () => void;
  isRemoving?: boolean;
  edit: () => void;
  /** More acts, behind these. */
  children?: ComponentChildren;
}

export const ReaderHead = ({ name, remove, isRemoving = false, edit, children }: ReaderHeadProps) => (
  <div class="head">
    <h1>
      <bdi>{name}</bdi>
    </h1>
    <div class="end acts-inline">
      <Button kind="danger" isSmall busy={isRemoving && 'Deleting…'} onClick={remove}>
        Delete
      </Button>
      <Button isSmall onClick={edit}>
        Edit
      </Button>
      {children}
    </div>
  </div>
);
