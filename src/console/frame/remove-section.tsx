/** The last section of a settings page: removes its subject after a confirmation. */

import { Section } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { ask, type Question } from '../components/dialog.tsx';

interface RemoveSectionProps extends Pick<Question, 'title' | 'verb' | 'typed' | 'text' | 'run'> {
  /** As in "Remove agent". */
  kind: string;
  /** The consequences, in a line. */
  hint: string;
}

export const RemoveSection = ({ kind, hint, ...question }: RemoveSectionProps) => (
  <Section title="Remove">
    <div class="panel settings">
      <div class="row">
        <p class="dim small">{hint}</p>
        <Button words={`Remove ${kind}`} kind="danger" onClick={() => ask(question)} />
      </div>
    </div>
  </Section>
);
