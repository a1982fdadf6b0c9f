/** Writes a note, or changes one. */

import { api } from '../api/client.ts';
import { undoOf, useEdit } from '../api/edit.ts';
import { FormDialog } from '../components/dialog.tsx';
import { TextField, useTexts } from '../components/inputs.tsx';
import { sayDone } from '../components/toast.tsx';
import { type Note, titleOf } from './note-title.ts';

interface FormProps {
  /** Null: a new one. */
  note: Note | null;
  onClose: () => void;
  onDone: (note: Note) => Promise<void>;
}

const WORDS = { body: 'the note' };

const read = (title: string, body: string) => ({ title: title.trim() === '' ? null : title.trim(), body });

export const NoteForm = ({ note, onClose, onDone }: FormProps) => {
  const [{ title, body }, field] = useTexts({ title: note?.title ?? '', body: note?.body ?? '' });
  const changeOf = useEdit(read(title, body), WORDS);
  return (
    <FormDialog
      title={note ? `Edit “${titleOf(note)}”` : 'New note'}
      class="large"
      onClose={onClose}
      verb={note ? 'Save' : 'Add note'}
      isDisabled={body.trim() === ''}
      run={async () => {
        const input = read(title, body);
        if (!note) {
          await onDone(await api.notes.create(input));
          return 'The note is added';
        }
        const { id: note_id } = note;
        const now = await api.notes.get({ id: note_id });
        const change = changeOf(input, read(now.title ?? '', now.body));
        if (change === null) return null;
        await onDone(await api.notes.update({ id: note_id, ...change, if_revision: now.revision }));
        sayDone('The note is saved', async () => {
          await onDone(
            await api.notes.update({ id: note_id, ...undoOf({ title: now.title, body: now.body }, change) }),
          );
          return 'The note is as before';
        });
      }}
    >
      <TextField
        label="Title"
        maxLength={200}
        placeholder="Trade fair in Bergen"
        hint="It may be left out."
        {...field('title')}
      />
      <TextField label="Note" rows={12} maxLength={100_000} isRequired {...field('body')} />
    </FormDialog>
  );
};
