/** The last section of a settings page: removes its subject after a confirmation. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Section } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { Ask } from '../components/dialog.tsx';

interface RemoveSectionProps {
  /** As in "Remove agent". */
  kind: string;
  /** The consequences, in a line. */
  hint: string;
  title: string;
  verb: string;
  /** The text to type before a permanent removal. */
  typed?: string;
  /** @returns the message after the removal */
  run: () => Promise<string>;
  children: ComponentChildren;
}

export const RemoveSection = ({ kind, hint, children, ...question }: RemoveSectionProps) => {
  const [isAsked, setAsked] = useState(false);
  return (
    <Section title="Remove">
      <div class="panel settings">
        <div class="row">
          <p class="dim small">{hint}</p>
          <Button kind="danger" onClick={() => setAsked(true)}>
            Remove {kind}
          </Button>
        </div>
      </div>
      {isAsked && (
        <Ask {...question} onClose={() => setAsked(false)}>
          {children}
        </Ask>
      )}
    </Section>
  );
};
