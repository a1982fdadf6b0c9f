/** Makes a list, or changes one. */

import { api } from '../api/client.ts';
import { FormDialog } from '../components/dialog.tsx';
import { TextField, useTexts } from '../components/inputs.tsx';
import type { ContactList } from './contact.ts';

interface FormProps {
  /** Null: a new one. */
  list: ContactList | null;
  onClose: () => void;
  onDone: (list: ContactList) => Promise<void>;
}

export const ListForm = ({ list, onClose, onDone }: FormProps) => {
  const [{ name, description }, field] = useTexts({ name: list?.name ?? '', description: list?.description ?? '' });
  return (
    <FormDialog
      title={list ? `Edit “${list.name}”` : 'New list'}
      onClose={onClose}
      verb={list ? 'Save' : 'Make list'}
      isDisabled={name.trim() === ''}
      run={async () => {
        const input = { name: name.trim(), description: description.trim() };
        const done = list
          ? await api.contactLists.update({ id: list.id, ...input })
          : await api.contactLists.create(input);
        await onDone(done);
        return list ? `“${done.name}” is saved` : `“${done.name}” is made`;
      }}
    >
      <TextField label="Name" isRequired maxLength={100} placeholder="Customers" {...field('name')} />
      <TextField
        label="Description"
        rows={2}
        maxLength={1_000}
        hint="Agents read it. It may be left out."
        {...field('description')}
      />
    </FormDialog>
  );
};
