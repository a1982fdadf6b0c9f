/** Asks for the time at which a mail goes. */

import { useState } from 'preact/hooks';
import { Field } from '../components/controls.tsx';
import { FormDialog } from '../components/dialog.tsx';
import type { Work } from '../components/toast.tsx';

const DAY_MS = 86_400_000;
const MOST_DAYS = 30;

/** As the field has it: this reader's time, to the minute. */
const toField = (at: number): string => {
  const zone = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - zone).toISOString().slice(0, 16);
};

const tomorrowAtEight = (): number => new Date(new Date().setHours(32, 0, 0, 0)).getTime();

interface WhenProps {
  title: string;
  verb: string;
  /** ISO 8601; left out: tomorrow at eight. */
  at?: string;
  onClose: () => void;
  run: (at: string) => ReturnType<Work>;
}

export const WhenDialog = ({ at, run, ...dialog }: WhenProps) => {
  const [text, setText] = useState(() => toField(at === undefined ? tomorrowAtEight() : Date.parse(at)));
  const now = Date.now();
  return (
    <FormDialog {...dialog} isDisabled={text === ''} run={() => run(new Date(text).toISOString())}>
      <Field label="Goes at" name="send_at" hint="Your time, 30 days ahead at most.">
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            type="datetime-local"
            required
            min={toField(now)}
            max={toField(now + MOST_DAYS * DAY_MS)}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
};
