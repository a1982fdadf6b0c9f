/** The API keys of an agent: by name and use; a key itself is shown once, when it is made. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Empty, Section, Show, Table, Time } from '../components/blocks.tsx';
import { AddButton, Button } from '../components/controls.tsx';
import { ShownOnce } from '../components/copy.tsx';
import { ask, FormDialog } from '../components/dialog.tsx';
import { Check, TextField, useTexts } from '../components/inputs.tsx';
import { Badge } from '../components/marks.tsx';
import { cancelledWords } from '../connections/connections.tsx';
import { MadeWebhooks } from './made-webhooks.tsx';

type Key = Answer<'keys', 'list'>['keys'][number];

const SCOPES = [
  ['mail:read', 'Read its mail'],
  ['mail:send', 'Send and archive mail, and have endpoints told of it'],
  ['contacts', 'Contacts'],
  ['notes', 'Notes and knowledge'],
  ['vault', 'Open the secrets granted to it'],
  ['manage', 'Manage its name and rules, domains and mailboxes, and delete for good'],
] as const;
type Scope = (typeof SCOPES)[number][0];

const NewKey = ({ agent, onClose }: { agent: string; onClose: () => void }) => {
  const [{ name }, field] = useTexts({ name: '' });
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(SCOPES.map(([scope]) => scope)));
  const [isWide, setWide] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  if (key !== null) {
    return <ShownOnce title={`“${name}” is made`} value={key} of="API key" onClose={onClose} />;
  }
  return (
    <FormDialog
      title={`New key for ${agent}`}
      onClose={onClose}
      keepOpen
      verb="Make key"
      isDisabled={name.trim() === '' || scopes.size === 0}
      run={async () => {
        const isAll = scopes.size === SCOPES.length;
        const reach = isWide ? 'workspace' : 'own';
        const made = await api.keys.add({ agent, name: name.trim(), scopes: isAll ? null : [...scopes], reach });
        setKey(made.key);
      }}
    >
      <TextField
        label="Name"
        isRequired
        maxLength={100}
        placeholder="production"
        hint="What the key is for; the activity log names it."
        {...field('name')}
      />
      <fieldset class="field">
        <legend class="leg">It may</legend>
        {SCOPES.map(([scope, words]) => (
          <Check
            key={scope}
            id={`scope-${scope}`}
            label={words}
            checked={scopes.has(scope)}
            onChange={(on) =>
              setScopes(new Set(on ? [...scopes, scope] : [...scopes].filter((each) => each !== scope)))
            }
          />
        ))}
      </fieldset>
      <fieldset class="field">
        <legend class="leg">It reaches</legend>
        <Check id="reach" label="The whole workspace, not its own mailbox alone" checked={isWide} onChange={setWide} />
        <p class="hint">
          Its endpoints may be told of every agent’s mail, and it changes domains, mailboxes and what other agents made.
        </p>
      </fieldset>
    </FormDialog>
  );
};

const stateOf = ({ revoked_at, expires_at }: Key) => {
  if (revoked_at) return <Badge mark="off">revoked</Badge>;
  if (expires_at && Date.parse(expires_at) <= Date.now()) return <Badge mark="off">expired</Badge>;
  return <Badge mark="ok">valid</Badge>;
};

export const AgentKeys = ({ agent }: { agent: string }) => {
  const keys = useRefreshed(api.keys.list, { agent });
  const [isNew, setNew] = useState(false);
  const askToRevoke = ({ id, name }: Key): void =>
    ask({
      title: `Revoke the key “${name}”?`,
      verb: 'Revoke',
      text: (
        <>
          <p>
            Whatever uses it is refused at once, and mail that it booked is cancelled. It cannot be given back; a new
            key can be made.
          </p>
          <MadeWebhooks agent={agent} />
        </>
      ),
      run: async () => {
        const { scheduled } = await api.keys.revoke({ key_id: id });
        await keys.reload();
        return `“${name}” is revoked${cancelledWords(scheduled.length)}`;
      },
    });
  return (
    <Section title="Keys" end={<AddButton isSmall words="New key" onClick={() => setNew(true)} />}>
      <Show loaded={keys} what="The keys">
        {({ keys: rows }) => (
          <Table
            heads={['Name', 'May', 'State', '#Last used', '']}
            of={rows}
            empty={
              <Empty icon="key" title="No keys">
                Without a key the agent reads and sends nothing.
              </Empty>
            }
          >
            {(key) => (
              <tr key={key.id}>
                <td class="full strong">{key.name}</td>
                <td class="full dim mono">
                  {key.scopes?.join(' ') ?? 'everything'}
                  {key.reach === 'workspace' && ' in the workspace'}
                </td>
                <td>{stateOf(key)}</td>
                <td class="num dim">{key.last_used_at ? <Time at={key.last_used_at} as="ago" /> : 'never'}</td>
                <td class="num full">
                  {!key.revoked_at && <Button words="Revoke" kind="danger" isSmall onClick={() => askToRevoke(key)} />}
                </td>
              </tr>
            )}
          </Table>
        )}
      </Show>
      {isNew && (
        <NewKey
          agent={agent}
          onClose={() => {
            setNew(false);
            void keys.reload();
          }}
        />
      )}
    </Section>
  );
};
