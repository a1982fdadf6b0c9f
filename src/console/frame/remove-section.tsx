/** The end of a page of settings: what it is about is removed, once that is asked. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../pieces/controls.tsx';
import { Ask } from '../pieces/dialog.tsx';

interface RemoveSectionProps {
  /** As in "Remove agent". */
  kind: string;
  /** What ends by it, in a line. */
  hint: string;
  title: string;
  verb: string;
  /** To be typed, of what is gone for good. */
  typed?: string;
  /** @returns what is said once it is done */
  run: () => Promise<string>;
  children: ComponentChildren;
}

export const RemoveSection = ({ kind, hint, children, ...question }: RemoveSectionProps) => {
  const [isAsked, setAsked] = useState(false);
  return (
    <section aria-labelledby="h-end">
      <div class="head">
        <h2 id="h-end">Remove</h2>
      </div>
      <div class="panel settings">
        <div class="row">
          <p class="dim small">{hint}</p>
          <Button kind="danger" onClick={() => setAsked(true)}>
            Remove {kind}
          </Button>
        </div>
      </div>
      {isAsked && (
        <Ask {...question} busy="Removing…" isDanger onClose={() => setAsked(false)}>
          {children}
        </Ask>
      )}
    </section>
  );
};
