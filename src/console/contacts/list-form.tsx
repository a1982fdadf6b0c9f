/** Makes a list, or changes one. */

import { api } from '../api/client.ts';
import { useEdit } from '../api/edit.ts';
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
  const before = { name: list?.name ?? '', description: list?.description ?? '' };
  const changeOf = useEdit(before);
  const [{ name, description }, field] = useTexts(before);
  return (
    <FormDialog
      title={list ? `Edit “${list.name}”` : 'New list'}
      onClose={onClose}
      verb={list ? 'Save' : 'Make list'}
      isDisabled={name.trim() === ''}
      run={async () => {
        const input = { name: name.trim(), description: description.trim() };
        const change = list && changeOf(input, before);
        const changed = list && change ? await api.contactLists.update({ id: list.id, ...change }) : list;
        const done = changed ?? (await api.contactLists.create(input));
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
