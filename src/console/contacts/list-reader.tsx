/** One list: its members, a page at a time; persons are found and added, or removed. */

import { useLayoutEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer, useRefreshed } from '../api/loaded.ts';
import { Empty, Show, Table } from '../components/blocks.tsx';
import { ActFailure, AddButton, Button, useAct } from '../components/controls.tsx';
import { ask, Dialog } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { Find, useFind } from '../components/inputs.tsx';
import { sayDone } from '../components/toast.tsx';
import { BackLink, ReaderHead } from '../frame/reader-head.tsx';
import { type Contact, mainChannel } from './contact.ts';
import { ListForm } from './list-form.tsx';

const PAGE = 100;
const MOST_FOUND = 8;

interface PickerProps {
  name: string;
  add: (contact: Contact) => void;
  onClose: () => void;
}

const Picker = ({ name, add, onClose }: PickerProps) => {
  const { q, find } = useFind();
  const found = useAnswer(api.contacts.list, q === '' ? null : { q, limit: MOST_FOUND });
  return (
    <Dialog title={`Add to “${name}”`} onClose={onClose} close="Done">
      <div class="pick-contact">
        <Find label="Search contacts" placeholder="Name or address" {...find} />
        {q !== '' && (
          <Show loaded={found} what="The contacts">
            {({ contacts }) =>
              contacts.length === 0 ? (
                <p class="dim">Nobody matches “{q}”.</p>
              ) : (
                <ul class="ledger">
                  {contacts.map((contact) => (
                    <li key={contact.id}>
                      <span>
                        <b class="strong">{contact.name}</b> <span class="dim">{mainChannel(contact)}</span>
                      </span>
                      <Button isSmall label={`Add ${contact.name}`} icon="plus" onClick={() => add(contact)} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Show>
        )}
      </div>
    </Dialog>
  );
};

export const ListReader = ({ id, reload }: { id: string; reload: () => Promise<void> }) => {
  const [, go] = useLocation();
  const act = useAct();
  const [offset, setOffset] = useState(0);
  const [open, setOpen] = useState<'edit' | 'add' | null>(null);
  const loaded = useRefreshed(api.contactLists.get, { id, limit: PAGE, offset });
  const isOver = offset > 0 && loaded.value?.members.length === 0;
  useLayoutEffect(() => {
    if (isOver) setOffset(Math.max(0, offset - PAGE));
  }, [isOver]);
  const again = async (): Promise<void> => {
    await Promise.all([reload(), loaded.reload()]);
  };
  const add = async ({ id: contact }: Contact): Promise<void> => {
    await api.contactLists.addMembers({ id, contact_ids: [contact] });
    await again();
  };
  const takeOff = (contact: Contact): void =>
    act.run(async () => {
      await api.contactLists.removeMembers({ id, contact_ids: [contact.id] });
      await again();
      sayDone(`${contact.name} is off the list`, async () => {
        await add(contact);
      });
    });
  const askToRemove = ({ name, member_count }: { name: string; member_count: number }): void =>
    ask({
      title: `Delete the list “${name}”?`,
      verb: 'Delete list',
      text: <p>The list is gone for good; its {plural(member_count, 'member')} stay contacts.</p>,
      run: async () => {
        await api.contactLists.remove({ id });
        go('/contacts/lists');
        await reload();
        return `“${name}” is deleted`;
      },
    });
  return (
    <>
      <BackLink href="/contacts/lists">Lists</BackLink>
      <Show loaded={loaded} what="The list" lines={8}>
        {(list) => (
          <>
            <ReaderHead name={list.name} remove={() => askToRemove(list)} edit={() => setOpen('edit')}>
              <AddButton isSmall words="Add member" onClick={() => setOpen('add')} />
            </ReaderHead>
            {list.description && <p class="dim under">{list.description}</p>}
            <ActFailure text={act.failure} />
            <Table
              heads={['Name', 'Address', '']}
              of={list.members}
              empty={
                <Empty icon="people" title="Nobody is on it">
                  Add people one at a time, or name the list when you import a file.
                </Empty>
              }
            >
              {(contact) => (
                <tr key={contact.id}>
                  <td class="full">
                    <Link href={`/contacts/${contact.id}`}>{contact.name}</Link>
                  </td>
                  <td class="mono">{mainChannel(contact)}</td>
                  <td class="num">
                    <Button words="Take off" isSmall kind="quiet" onClick={() => takeOff(contact)} />
                  </td>
                </tr>
              )}
            </Table>
            {(offset > 0 || list.next_offset !== null) && (
              <div class="pager">
                <span>
                  {offset + 1} to {offset + list.members.length} of {plural(list.member_count, 'member')}
                </span>
                <span class="end">
                  <Button
                    words="Newer"
                    isSmall
                    disabled={offset === 0}
                    onClick={() => setOffset(Math.max(0, offset - PAGE))}
                  />
                  <Button
                    words="Older"
                    isSmall
                    disabled={list.next_offset === null}
                    onClick={() => setOffset(list.next_offset ?? offset)}
                  />
                </span>
              </div>
            )}
            {open === 'edit' && <ListForm list={list} onClose={() => setOpen(null)} onDone={again} />}
            {open === 'add' && (
              <Picker
                name={list.name}
                onClose={() => setOpen(null)}
                add={(contact) =>
                  act.run(async () => {
                    await add(contact);
                    return `${contact.name} is on “${list.name}”`;
                  })
                }
              />
            )}
          </>
        )}
      </Show>
    </>
  );
};
