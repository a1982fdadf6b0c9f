/** Passkeys of the person: this device, or a security key, instead of the mailed link. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { loadPart } from '../api/part.ts';
import { Empty, Section, Show, Table, Time } from '../components/blocks.tsx';
import { AddButton, Button } from '../components/controls.tsx';
import { ask, FormDialog } from '../components/dialog.tsx';
import { TextField, useTexts } from '../components/inputs.tsx';

type Listed = Answer<'passkeys', 'list'>;
type Passkey = Listed['passkeys'][number];

const addPasskey = async (name: string): Promise<void> => {
  const { startRegistration } = await loadPart(() => import('@simplewebauthn/browser'));
  const options: unknown = await api.passkeys.begin({});
  const optionsJSON = options as Parameters<typeof startRegistration>[0]['optionsJSON'];
  const { clientExtensionResults, ...made } = await startRegistration({ optionsJSON });
  await api.passkeys.add({ name, response: { ...made, clientExtensionResults: { ...clientExtensionResults } } });
};

export const NewPasskey = ({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) => {
  const [{ name }, field] = useTexts({ name: '' });
  return (
    <FormDialog
      title="Add a passkey"
      onClose={onClose}
      verb="Add passkey"
      isDisabled={name.trim() === ''}
      run={async () => {
        await addPasskey(name.trim());
        await onDone();
        return `“${name.trim()}” is added`;
      }}
    >
      <TextField
        label="Name"
        isRequired
        maxLength={100}
        placeholder="This laptop"
        hint="Which device or key it is. The browser asks for it next."
        {...field('name')}
      />
    </FormDialog>
  );
};

const Row = ({ passkey: { id, name, last_used_at }, reload }: { passkey: Passkey; reload: () => Promise<void> }) => {
  const askToRemove = (): void =>
    ask({
      title: `Remove the passkey “${name}”?`,
      verb: 'Remove',
      text: <p>It does not sign in any more. Sessions that it began go on until you sign out.</p>,
      run: async () => {
        await api.passkeys.remove({ id });
        await reload();
        return `“${name}” is removed`;
      },
    });
  return (
    <tr>
      <td class="full strong">{name}</td>
      <td class="num dim">{last_used_at ? <Time at={last_used_at} as="ago" /> : 'never'}</td>
      <td class="num">
        <Button words="Remove" isSmall kind="danger" onClick={askToRemove} />
      </td>
    </tr>
  );
};

/** Whether this browser and the instance's name have passkeys. */
export const canAddPasskey = ({ available }: Listed): boolean => available && 'PublicKeyCredential' in window;

export const Passkeys = () => {
  const list = useRefreshed(api.passkeys.list, {});
  const [isNew, setNew] = useState(false);
  const canAdd = list.value !== null && canAddPasskey(list.value);
  return (
    <Section title="Passkeys" end={canAdd && <AddButton isSmall words="Add passkey" onClick={() => setNew(true)} />}>
      <Show loaded={list} what="The passkeys">
        {({ available, passkeys }) => (
          <Table
            heads={['Name', '#Last used', '']}
            of={passkeys}
            empty={
              <Empty icon="passkey" title="No passkeys">
                {available
                  ? 'With one you sign in by a touch or a face, without a mail. The mailed link goes on working.'
                  : 'Browsers have passkeys for names alone, and the public_url of this instance has an address in place of one.'}
              </Empty>
            }
          >
            {(passkey) => <Row key={passkey.id} passkey={passkey} reload={list.reload} />}
          </Table>
        )}
      </Show>
      {isNew && <NewPasskey onClose={() => setNew(false)} onDone={list.reload} />}
    </Section>
  );
};
