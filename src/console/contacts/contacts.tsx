/** The contacts that all agents of the workspace share, a page at a time. */

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { AddButton, Button, ButtonLink } from '../components/controls.tsx';
import { Find } from '../components/inputs.tsx';
import { useAsked } from '../frame/asked.ts';
import { TitleRow } from '../frame/bar.tsx';
import { SearchedRows, useSearched } from '../frame/searched.tsx';
import { Item, SplitView } from '../frame/split-view.tsx';
import { mainChannel, underName } from './contact.ts';
import { ContactForm } from './contact-form.tsx';
import { ContactReader, NoContact } from './contact-reader.tsx';
import { ContactsTabs } from './contacts-tabs.tsx';
import { ExportForm } from './export-form.tsx';

const Nobody = ({ q }: { q: string }) =>
  q === '' ? (
    <Empty icon="people" title="No contacts yet">
      Agents add whom they want to remember; you can add people too, or import a file.
    </Empty>
  ) : (
    <Empty icon="search" title={`Nobody matches “${q}”`}>
      Names, companies, addresses, numbers and facts were searched.
    </Empty>
  );

export const Contacts = () => {
  const contacts = useSearched({
    what: 'contact',
    href: '/contacts',
    loadPage: async (input, options) => {
      const { contacts: rows, next_cursor } = await api.contacts.list(input, options);
      return { rows, next_cursor };
    },
    loadOne: (id, options) => api.contacts.get({ id }, options),
  });
  const { id, find, q, shown, isBare, hrefOf, open, reload } = contacts;
  const [isNew, setNew] = useState(false);
  useAsked('contact', () => setNew(true));
  const [isExporting, setExporting] = useState(false);
  return (
    <>
      <TitleRow title="Contacts">
        {!isBare && <Button words="Export" kind="quiet" class="wide-only" onClick={() => setExporting(true)} />}
        <ButtonLink class="quiet" href="/contacts/import" words="Import" />
        <AddButton words="New contact" onClick={() => setNew(true)} />
      </TitleRow>
      <SplitView
        isOpen={id !== undefined}
        list={
          <>
            <div class="tools">
              <ContactsTabs current="/contacts" />
              {!isBare && <Find label="Search contacts" placeholder="Name, company, address, fact" {...find} />}
            </div>
            <SearchedRows of={contacts} what="The contacts" label="Contacts" empty={<Nobody q={q} />}>
              {(contact) => (
                <Item
                  key={contact.id}
                  href={hrefOf(contact.id)}
                  isCurrent={contact.id === id}
                  at={contact.updated_at}
                  name={contact.name || mainChannel(contact)}
                  under={underName(contact) || mainChannel(contact)}
                  side={contact.memories.length > 0 && `${contact.memories.length} remembered`}
                />
              )}
            </SearchedRows>
          </>
        }
        reader={
          id === undefined ? (
            <NoContact />
          ) : (
            <Show loaded={shown} what="The contact" lines={6}>
              {(contact) => <ContactReader key={contact.id} contact={contact} reload={reload} />}
            </Show>
          )
        }
      />
      {isExporting && <ExportForm onClose={() => setExporting(false)} />}
      {isNew && <ContactForm contact={null} onClose={() => setNew(false)} onDone={open} />}
    </>
  );
};
