/** Edits a held mail before its release: subject, text, and recipients. */

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { FormDialog } from '../components/dialog.tsx';
import { Check, TextField, useTexts } from '../components/inputs.tsx';
import { splitAddress } from '../components/mail-parts.tsx';
import { Changes } from './differing-words.tsx';
import type { HeldDetail } from './why-held.ts';

interface FormProps {
  held: HeldDetail;
  onClose: () => void;
  onDone: () => Promise<void>;
}

export const HeldEdit = ({ held: shown, onClose, onDone }: FormProps) => {
  // With its digest: an edit of what another has changed meanwhile is refused.
  const [held] = useState(shown);
  const [{ subject, text }, field] = useTexts({ subject: held.subject, text: held.text ?? '' });
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const recipients = [...held.to, ...held.cc, ...held.bcc];
  const isSame = subject === held.subject && text === held.text && removed.length === 0;
  return (
    <FormDialog
      title="Edit before it goes"
      class="large"
      onClose={onClose}
      verb="Save"
      isDisabled={isSame || text.trim() === '' || removed.length === recipients.length}
      run={async () => {
        await api.heldMail.edit({
          pending_id: held.pending_id,
          digest: held.digest ?? '',
          ...(subject !== held.subject && { subject }),
          ...(text !== held.text && { text }),
          remove: removed.map((recipient) => splitAddress(recipient).address),
        });
        await onDone();
        return 'Edited, and not sent yet';
      }}
    >
      <TextField label="Subject" maxLength={998} {...field('subject')} />
      <TextField
        label="Text"
        rows={14}
        maxLength={1_000_000}
        isRequired
        hint={held.html_text === null ? 'Markdown' : 'Markdown; edited, it takes the place of the HTML part'}
        {...field('text')}
      />
      {text !== held.text && <Changes before={held.text ?? ''} after={text} />}
      <fieldset class="field">
        <legend>Goes to</legend>
        {recipients.map((recipient) => (
          <Check
            key={recipient}
            id={`to-${recipient}`}
            label={recipient}
            checked={!removed.includes(recipient)}
            onChange={(isKept) =>
              setRemoved(isKept ? removed.filter((each) => each !== recipient) : [...removed, recipient])
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  );
};

/** The owner's changes, as the agent sees them. */
export const Edited = ({ diff }: { diff: string }) => (
  <details class="quote">
    <summary>
      <span class="strong">Edited by an owner</span>
    </summary>
    <div class="body">
      <p class="written mono">{diff}</p>
    </div>
  </details>
);
