/** Makes a contact, or changes one. */

import { api } from '../api/client.ts';
import { undoOf, useEdit } from '../api/edit.ts';
import { FormDialog } from '../components/dialog.tsx';
import { TextField, useTexts } from '../components/inputs.tsx';
import { sayDone } from '../components/toast.tsx';
import { type Contact, readChannels, readFields, toInput, writeFields } from './contact.ts';

interface FormProps {
  /** Null: a new one. */
  contact: Contact | null;
  onClose: () => void;
  onDone: (contact: Contact) => Promise<void>;
}

/** Names, any of which makes a contact; a job title alone does not. */
const NAMES = [
  ['given_name', 'Given name', 'Ines'],
  ['family_name', 'Family name', 'Halvorsen'],
  ['preferred_name', 'Called', 'Nessa'],
  ['company_name', 'Company', 'Nordkai AS'],
  ['job_title', 'Job title', 'Head of purchasing'],
] as const;

const WORDS = { channels: 'e-mail addresses or phone numbers' };

export const ContactForm = ({ contact, onClose, onDone }: FormProps) => {
  const [text, field] = useTexts(writeFields(contact));
  const changeOf = useEdit(readFields(text), WORDS);
  const of = (name: string): string => text[name] ?? '';
  const emails = readChannels(of('email'), 'email').length;
  /** Whether the refused field is one of the channels `from` to `to`; the addresses stand before the numbers. */
  const channelFrom = (from: number, to: number) => (name: string) => {
    const at = Number(/^channels\.(\d+)/.exec(name)?.[1] ?? -1);
    return at >= from && at < to;
  };
  const isNamed = NAMES.some(([name]) => name !== 'job_title' && of(name).trim() !== '');
  return (
    <FormDialog
      title={contact ? `Edit “${contact.name}”` : 'New contact'}
      class="large"
      onClose={onClose}
      verb={contact ? 'Save' : 'Add contact'}
      isDisabled={!isNamed}
      run={async () => {
        if (!contact) {
          const made = await api.contacts.create(readFields(text));
          await onDone(made);
          return `${made.name} is added`;
        }
        const { id: contact_id } = contact;
        const now = await api.contacts.get({ id: contact_id });
        const change = changeOf(readFields(text), readFields(writeFields(now)));
        if (change === null) return null;
        const saved = await api.contacts.update({ id: contact_id, ...change });
        await onDone(saved);
        sayDone(`${saved.name} is saved`, async () => {
          await onDone(await api.contacts.update({ id: contact_id, ...undoOf(toInput(now), change) }));
          return `${now.name} is as before`;
        });
      }}
    >
      <div class="fields-2">
        {NAMES.map(([name, label, placeholder]) => (
          <TextField key={name} label={label} placeholder={placeholder} maxLength={200} {...field(name)} />
        ))}
        <TextField label="Domains" hint="Whose mail is theirs; one a line." rows={1} isMono {...field('domains')} />
        <TextField
          label="E-mail addresses"
          rows={2}
          isMono
          placeholder="ines@nordkai.example (work)"
          hint="One a line, a label in brackets behind it."
          {...field('email')}
          name={channelFrom(0, emails)}
        />
        <TextField
          label="Phone numbers"
          rows={2}
          isMono
          placeholder="+47 22 00 00 00 (mobile)"
          hint="One a line."
          {...field('phone')}
          name={channelFrom(emails, Number.POSITIVE_INFINITY)}
        />
      </div>
      <TextField label="Notes" rows={3} maxLength={10_000} {...field('notes')} />
    </FormDialog>
  );
};
