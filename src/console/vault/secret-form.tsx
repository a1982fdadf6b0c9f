/** Seals a secret, or a new value of one. A sealed value is never shown here: the form begins empty. */

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useEdit } from '../api/edit.ts';
import { Field } from '../components/controls.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { SelectField, TextField, useTexts } from '../components/inputs.tsx';
import { readTags, type Secret, type SecretType, TYPES } from './forms.ts';

interface ValueFieldsProps {
  type: SecretType;
  value: Readonly<Record<string, string>>;
  set: (name: string, text: string) => void;
  /** Whether all may stay empty, which keeps the value. */
  isOptional: boolean;
}

const ValueFields = ({ type, value, set, isOptional }: ValueFieldsProps) => (
  <>
    {TYPES[type].parts.map(({ name, label, isRequired, isHidden, isLong, hint }) => (
      <Field key={name} label={label} name={`value.${name}`} {...(hint && { hint })}>
        {(attributes) => {
          const shared = {
            ...attributes,
            class: 'input',
            required: isRequired && !isOptional,
            autocomplete: 'off',
            spellcheck: false,
            value: value[name] ?? '',
          };
          return isLong ? (
            <textarea {...shared} rows={4} onInput={({ currentTarget }) => set(name, currentTarget.value)} />
          ) : (
            <input
              {...shared}
              type={isHidden ? 'password' : 'text'}
              autocomplete={isHidden ? 'new-password' : 'off'}
              onInput={({ currentTarget }) => set(name, currentTarget.value)}
            />
          );
        }}
      </Field>
    ))}
  </>
);

interface FormProps {
  /** Null: a new one. */
  secret: Secret | null;
  onClose: () => void;
  onDone: (secret: Secret) => Promise<void>;
}

export const SecretForm = ({ secret, onClose, onDone }: FormProps) => {
  const before = { tags: secret?.tags ?? [] };
  const changeOf = useEdit(before);
  const [{ name, tags }, field] = useTexts({ name: secret?.name ?? '', tags: before.tags.join(', ') });
  const [type, setType] = useState<SecretType>(secret?.type ?? 'login');
  const [value, setValue] = useState<Readonly<Record<string, string>>>({});
  const given = Object.fromEntries(
    TYPES[type].parts.flatMap((part) => (value[part.name] ? [[part.name, value[part.name] ?? '']] : [])),
  );
  const isGiven = Object.keys(given).length > 0;
  return (
    <FormDialog
      title={secret ? `Edit “${secret.name}”` : 'New secret'}
      onClose={onClose}
      busy="Sealing…"
      verb={secret ? 'Save' : 'Seal secret'}
      isDisabled={!secret && (!isGiven || name.trim() === '')}
      run={async () => {
        const saved = secret
          ? await api.secrets.change({
              secret: secret.id,
              ...changeOf({ tags: readTags(tags) }, before),
              ...(isGiven && { value: given }),
            })
          : await api.secrets.add({ name: name.trim(), type, tags: readTags(tags), value: given });
        await onDone(saved);
        return secret ? `“${saved.name}” is changed` : `“${saved.name}” is sealed`;
      }}
    >
      {secret ? (
        <p>Left empty, the value stays as it is. Filled in, all of it is replaced; agents read the new one at once.</p>
      ) : (
        <>
          <TextField
            label="Name"
            isRequired
            maxLength={200}
            hint="Agents find it by this name."
            placeholder="Nordkai supplier portal"
            {...field('name')}
          />
          <SelectField
            label="Type"
            name="type"
            value={type}
            options={Object.entries(TYPES).map(([key, { label }]) => [key, label] as const)}
            onInput={(key) => setType(key as SecretType)}
          />
        </>
      )}
      <ValueFields
        type={type}
        value={value}
        isOptional={secret !== null}
        set={(part, text) => setValue((before) => ({ ...before, [part]: text }))}
      />
      <TextField label="Tags" hint="Parted by commas." placeholder="suppliers, finance" {...field('tags')} />
    </FormDialog>
  );
};
