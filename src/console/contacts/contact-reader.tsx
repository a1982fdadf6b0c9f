/** One contact: its fields, the agents' facts, and its correspondence. */

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { Empty, Fact, Section, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, Button, Select, useAct } from '../components/controls.tsx';
import { CopyValue } from '../components/copy.tsx';
import { ask, FormDialog } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { TextField, useTexts } from '../components/inputs.tsx';
import { sayDone } from '../components/toast.tsx';
import { useGoOn } from '../frame/go-on.ts';
import { BackLink, ReaderHead } from '../frame/reader-head.tsx';
import { type Contact, toInput, underName } from './contact.ts';
import { ContactForm } from './contact-form.tsx';

const addressLines = (address: Contact['addresses'][number]): string =>
  [
    address.po_box,
    address.extended,
    address.street,
    [address.postal_code, address.locality].filter(Boolean).join(' '),
    address.region,
    address.country,
  ]
    .filter(Boolean)
    .join(', ');

const Facts = ({ contact }: { contact: Contact }) => (
  <dl class="facts panel">
    {contact.preferred_name && <Fact name="Called">{contact.preferred_name}</Fact>}
    {contact.channels.map(({ kind, value, label }) => (
      <Fact key={`${kind} ${value}`} name={label ?? (kind === 'email' ? 'E-mail' : 'Phone')}>
        <CopyValue value={value} of={kind === 'email' ? 'address' : 'number'} />
      </Fact>
    ))}
    {contact.domains.length > 0 && (
      <Fact name="Domains" class="mono">
        {contact.domains.join(', ')}
      </Fact>
    )}
    {contact.addresses.map((address) => (
      <Fact key={addressLines(address)} name={address.label ?? 'Address'}>
        {addressLines(address)}
      </Fact>
    ))}
    {contact.notes && (
      <Fact name="Notes" class="written">
        {contact.notes}
      </Fact>
    )}
    <Fact name="Changed" class="dim">
      <Time at={contact.updated_at} as="day" />
    </Fact>
  </dl>
);

const NewFact = ({
  contact,
  reload,
  onClose,
}: {
  contact: Contact;
  reload: () => Promise<void>;
  onClose: () => void;
}) => {
  const [{ fact }, field] = useTexts({ fact: '' });
  return (
    <FormDialog
      title={`Remember of ${contact.name}`}
      verb="Add fact"
      isDisabled={fact.trim() === ''}
      onClose={onClose}
      run={async () => {
        await api.contacts.remember({ id: contact.id, fact: fact.trim() });
        await reload();
        return 'The fact is added';
      }}
    >
      <TextField
        label="Fact"
        rows={2}
        maxLength={1_000}
        placeholder="Prefers delivery before noon"
        hint="Every agent of the workspace sees it."
        {...field('fact')}
      />
    </FormDialog>
  );
};

const Memories = ({ contact, reload }: { contact: Contact; reload: () => Promise<void> }) => {
  const [isNew, setNew] = useState(false);
  return (
    <Section
      class="gap"
      title="What agents remember"
      end={<Button words="Add fact" isSmall onClick={() => setNew(true)} />}
    >
      {contact.memories.length === 0 ? (
        <p class="panel dim">Nothing yet. Agents write facts down as they read mail; each later lookup shows them.</p>
      ) : (
        <ul class="ledger panel">
          {contact.memories.map((memory) => (
            <li key={memory.id}>
              <span class="written">{memory.fact}</span>
              {memory.authenticated === false && (
                <span class="faint">from {memory.message_from}, whose mail did not authenticate</span>
              )}
              <Time at={memory.created_at} class="faint" />
            </li>
          ))}
        </ul>
      )}
      {isNew && <NewFact contact={contact} reload={reload} onClose={() => setNew(false)} />}
    </Section>
  );
};

type Exchange = Answer<'correspondence', 'list'>['exchanges'][number];

const wayWords = ({ wrote_at, has_written }: Exchange): string => {
  if (wrote_at === null) return 'wrote to the agent';
  return has_written ? 'both wrote' : 'the agent wrote';
};

const Correspondence = ({ contact }: { contact: Contact }) => {
  const list = useAnswer(api.correspondence.list, { id: contact.id });
  return (
    <Section class="gap" title="Mail">
      <Show loaded={list} what="The mail">
        {({ exchanges }) =>
          exchanges.length === 0 ? (
            <p class="panel dim">No agent has written to this contact, and no mail from it proved its sender.</p>
          ) : (
            <Table heads={['Agent', 'Address', 'Way', '#First written to']} of={exchanges} isDense>
              {(each) => (
                <tr key={`${each.agent} ${each.address}`}>
                  <td>
                    <Link href={`/agents/${each.agent}?q=${encodeURIComponent(`"${each.address}"`)}`}>
                      {each.agent}
                    </Link>
                  </td>
                  <td class="mono full">{each.address}</td>
                  <td class="dim">{wayWords(each)}</td>
                  <td class="num dim wide-only">{each.wrote_at && <Time at={each.wrote_at} />}</td>
                </tr>
              )}
            </Table>
          )
        }
      </Show>
    </Section>
  );
};

/** Adds a contact to a list at once; the list shows its members. */
const AddToList = ({ contact }: { contact: Contact }) => {
  const act = useAct();
  const lists = useAnswer(api.contactLists.list, {});
  const all = lists.value?.lists ?? [];
  if (all.length === 0) return null;
  const add = (id: string): void => {
    const list = all.find((each) => each.id === id);
    if (!list) return;
    act.run(async () => {
      const { added } = await api.contactLists.addMembers({ id, contact_ids: [contact.id] });
      if (added === 0) return `${contact.name} is on “${list.name}” already`;
      sayDone(`${contact.name} is on “${list.name}”`, async () => {
        await api.contactLists.removeMembers({ id, contact_ids: [contact.id] });
        return `${contact.name} is off “${list.name}”`;
      });
    });
  };
  return (
    <>
      <Select
        label="Add to a list"
        value=""
        options={[['', 'Add to list'], ...all.map(({ id, name }) => [id, name] as const)]}
        onChange={add}
      />
      <ActFailure text={act.failure} />
    </>
  );
};

interface ReaderProps {
  contact: Contact;
  /** Loads the contact and the list beside it. */
  reload: () => Promise<void>;
}

export const ContactReader = ({ contact, reload }: ReaderProps) => {
  const goOn = useGoOn();
  const act = useAct();
  const [isEdited, setEdited] = useState(false);
  /** Data that a restored contact would lose. */
  const isLost = contact.memories.length > 0 || contact.addresses.length > 0;
  const remove = async (): Promise<void> => {
    const go = goOn();
    await api.contacts.remove({ id: contact.id });
    go('/contacts');
    await reload();
  };
  const removeWithUndo = (): void =>
    act.run(async () => {
      await remove();
      sayDone(`${contact.name} is deleted`, async () => {
        const go = goOn();
        const { id, name } = await api.contacts.create(toInput(contact));
        go(`/contacts/${id}`);
        await reload();
        return `${name} is back, on no list`;
      });
    });
  const askToRemove = (): void =>
    ask({
      title: `Delete “${contact.name}”?`,
      verb: 'Delete contact',
      text: (
        <p>
          {contact.memories.length > 0
            ? `${plural(contact.memories.length, 'fact')} that agents remember go with it for good`
            : 'Its postal addresses go with it for good'}
          , and its places on lists. Mail with it stays.
        </p>
      ),
      run: async () => {
        await remove();
        return `${contact.name} is deleted`;
      },
    });
  return (
    <>
      <BackLink href="/contacts">Contacts</BackLink>
      <ReaderHead name={contact.name} remove={isLost ? askToRemove : removeWithUndo} edit={() => setEdited(true)}>
        <AddToList key={contact.id} contact={contact} />
      </ReaderHead>
      {underName(contact) !== '' && <p class="dim under">{underName(contact)}</p>}
      <ActFailure text={act.failure} />
      <Facts contact={contact} />
      <Memories contact={contact} reload={reload} />
      <Correspondence contact={contact} />
      {isEdited && <ContactForm contact={contact} onClose={() => setEdited(false)} onDone={reload} />}
    </>
  );
};

export const NoContact = () => (
  <Empty icon="people" title="No contact is open">
    What agents remember of one, and who of them wrote with it, stands beside its addresses.
  </Empty>
);
