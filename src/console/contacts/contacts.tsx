/** The address book that all agents of the workspace share, a page at a time. */

import { useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { TitleRow } from '../frame/bar.tsx';
import { Duo, Item } from '../frame/duo.tsx';
import { useSteps } from '../frame/steps.ts';
import { Button } from '../pieces/controls.tsx';
import { Find, useTyped } from '../pieces/inputs.tsx';
import { Pager, usePages } from '../pieces/pager.tsx';
import { Empty, Show } from '../pieces/states.tsx';
import { mainChannel, underName } from './contact.ts';
import { ContactForm } from './contact-form.tsx';
import { ContactReader, NoContact } from './contact-reader.tsx';
import { ContactsTabs } from './contacts-tabs.tsx';
import { ExportForm } from './export-form.tsx';

const PAGE = 50;

export const Contacts = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const q = useTyped(text);
  const [isNew, setNew] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const { cursors, cursor, turn } = usePages(q);
  const list = useLoaded(
    (signal) =>
      api.contacts.list({ limit: PAGE, ...(q !== '' && { q }), ...(cursor !== undefined && { cursor }) }, { signal }),
    `contacts ${q} ${cursor ?? ''}`,
  );
  const rows = list.value?.contacts ?? [];
  const shown = useLoaded(
    (signal) => api.contacts.get({ contact_id: id ?? '' }, { signal }),
    id === undefined ? null : `contact ${id}`,
  );
  useLive(
    (event) => event === null,
    () => void list.reload(),
  );
  const reload = async (): Promise<void> => {
    await Promise.all([list.reload(), shown.reload()]);
  };
  const at = rows.findIndex((contact) => contact.id === id);
  const links = rows.map((each) => `/contacts/${each.id}`);
  useSteps({ what: 'contact', links, at, list: '/contacts' });
  const isBare = list.value !== null && rows.length === 0 && q === '' && cursors.length === 0;
  return (
    <>
      <TitleRow title="Contacts">
        {!isBare && (
          <Button kind="quiet" class="wide-only" onClick={() => setExporting(true)}>
            Export
          </Button>
        )}
        <Link class="btn quiet" href="/contacts/import">
          Import
        </Link>
        <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
          New contact
        </Button>
      </TitleRow>
      <Duo
        isOpen={id !== undefined}
        list={
          <>
            <div class="tools">
              <ContactsTabs current="/contacts" />
              {!isBare && (
                <Find
                  {...{ label: 'Search contacts', placeholder: 'Name, company, address, fact', value: text }}
                  onInput={setText}
                />
              )}
            </div>
            <Show loaded={list} what="The contacts" lines={10}>
              {({ next_cursor }) =>
                rows.length === 0 ? (
                  <Empty
                    icon={q === '' ? 'people' : 'search'}
                    title={q === '' ? 'No contacts yet' : `Nobody matches “${q}”`}
                  >
                    {q === ''
                      ? 'Agents add whom they want to remember; you can add people too, or import a file.'
                      : 'Names, companies, addresses, numbers and facts were searched.'}
                  </Empty>
                ) : (
                  <>
                    <nav aria-label="Contacts">
                      {rows.map((contact) => (
                        <Item
                          key={contact.id}
                          {...{ href: `/contacts/${contact.id}`, isCurrent: contact.id === id, at: contact.updated_at }}
                          name={contact.name || mainChannel(contact)}
                          under={underName(contact) || mainChannel(contact)}
                          side={contact.memories.length > 0 && `${contact.memories.length} remembered`}
                        />
                      ))}
                    </nav>
                    <Pager cursors={cursors} next={next_cursor} onChange={turn} />
                  </>
                )
              }
            </Show>
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
      {isNew && (
        <ContactForm
          contact={null}
          onClose={() => setNew(false)}
          onDone={async (contact) => {
            await list.reload();
            go(`/contacts/${contact.id}`);
          }}
        />
      )}
    </>
  );
};
