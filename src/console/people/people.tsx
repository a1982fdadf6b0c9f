/** The owners of the workspace: each signs in by a mailed link, and has all rights of the console. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useLoaded, useRefresh } from '../api/loaded.ts';
import { session, workspace } from '../api/session.ts';
import { Show, Table, Time } from '../components/blocks.tsx';
import { AddButton, Button } from '../components/controls.tsx';
import { ask, FormDialog } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { TextField, useTexts } from '../components/inputs.tsx';
import { Badge } from '../components/marks.tsx';
import { TitleRow } from '../frame/bar.tsx';

type Owner = Answer<'owners', 'list'>['owners'][number];

type Invitation = Answer<'invitations', 'list'>['invitations'][number];

const Invite = ({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) => {
  const [{ email }, field] = useTexts({ email: '' });
  return (
    <FormDialog
      title={`Invite an owner to “${workspace.value?.name}”`}
      onClose={onClose}
      verb="Invite"
      isDisabled={email.trim() === ''}
      run={async () => {
        await api.invitations.add({ email: email.trim() });
        await onDone();
        return `An invitation is on its way to ${email.trim()}`;
      }}
    >
      <p>An owner reads all mail of all agents, decides on held mail, opens the vault and invites other owners.</p>
      <TextField
        label="Address"
        type="email"
        isRequired
        maxLength={254}
        hint="A link is mailed to it, open for seven days. They are an owner once they press the button there."
        placeholder="jonas@halden.example"
        {...field('email')}
      />
    </FormDialog>
  );
};

const Invited = ({ invitation, onWithdraw }: { invitation: Invitation; onWithdraw: () => void }) => (
  <tr>
    <td class="full">
      <span class="mono">{invitation.email}</span>
      <span class="dim"> by {invitation.invited_by}</span>
    </td>
    <td>
      <Badge mark="wait">invited</Badge>
    </td>
    <td class="num dim">
      <Time at={invitation.created_at} />
    </td>
    <td class="num full">
      <Button words="Withdraw" isSmall kind="danger" onClick={onWithdraw} />
    </td>
  </tr>
);

const readPeople = async (signal: AbortSignal) => {
  const [{ owners }, { invitations }] = await Promise.all([
    api.owners.list({}, { signal }),
    api.invitations.list({}, { signal }),
  ]);
  return { owners, invitations };
};

export const People = () => {
  const list = useLoaded(readPeople, 'owners');
  useRefresh(list);
  const [isNew, setNew] = useState(false);
  const owners = list.value?.owners ?? [];
  const askToRemove = ({ email }: Owner): void => {
    const isYou = email === session.value?.email;
    ask({
      title: `Remove ${email} from “${workspace.value?.name}”?`,
      verb: 'Remove',
      text: (
        <p>
          {isYou ? 'You lose' : 'They lose'} this workspace at once. Nothing of it is deleted; another owner can invite
          the address again. Keys of agents stay valid: revoke those that they may have kept.
        </p>
      ),
      run: async () => {
        await api.owners.remove({ email });
        if (isYou) location.assign('/console/');
        else await list.reload();
        return `${email} is removed`;
      },
    });
  };
  const askToWithdraw = ({ email }: Invitation): void =>
    ask({
      title: `Withdraw the invitation of ${email}?`,
      verb: 'Withdraw',
      text: <p>The link that was mailed does nothing from then on.</p>,
      run: async () => {
        await api.invitations.remove({ email });
        await list.reload();
        return `The invitation of ${email} is withdrawn`;
      },
    });
  return (
    <>
      <TitleRow title="People" context={list.value && <span class="dim">{plural(owners.length, 'owner')}</span>}>
        <AddButton words="Invite owner" onClick={() => setNew(true)} />
      </TitleRow>
      <div class="page narrow">
        <Show loaded={list} what="The owners">
          {() => (
            <Table
              heads={['Address', 'Verified', '#Since', '']}
              of={owners}
              after={list.value?.invitations.map((invitation) => (
                <Invited key={invitation.email} invitation={invitation} onWithdraw={() => askToWithdraw(invitation)} />
              ))}
            >
              {(owner) => (
                <tr key={owner.email}>
                  <td class="full">
                    <span class="mono">{owner.email}</span>
                    {owner.email === session.value?.email && <span class="dim"> you</span>}
                  </td>
                  <td>
                    {owner.verified_at ? (
                      <Badge mark="ok">verified</Badge>
                    ) : (
                      <Badge mark="wait">not signed in by mail yet</Badge>
                    )}
                  </td>
                  <td class="num dim">
                    <Time at={owner.created_at} />
                  </td>
                  <td class="num full">
                    {owners.length > 1 && (
                      <Button words="Remove" isSmall kind="danger" onClick={() => askToRemove(owner)} />
                    )}
                  </td>
                </tr>
              )}
            </Table>
          )}
        </Show>
      </div>
      {isNew && <Invite onClose={() => setNew(false)} onDone={list.reload} />}
    </>
  );
};
