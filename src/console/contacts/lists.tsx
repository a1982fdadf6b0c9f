import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { AddButton } from '../components/controls.tsx';
import { plural } from '../components/format.ts';
import { TitleRow } from '../frame/bar.tsx';
import { Item, SplitView } from '../frame/split-view.tsx';
import { ContactsTabs } from './contacts-tabs.tsx';
import { ListForm } from './list-form.tsx';
import { ListReader } from './list-reader.tsx';

export const Lists = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const list = useRefreshed(api.contactLists.list, {});
  const all = list.value?.lists ?? [];
  return (
    <>
      <TitleRow title="Lists" context={list.value && <span class="dim wide-only">{plural(all.length, 'list')}</span>}>
        <AddButton words="New list" onClick={() => setNew(true)} />
      </TitleRow>
      <SplitView
        isOpen={id !== undefined}
        list={
          <>
            <div class="tools">
              <ContactsTabs current="/contacts/lists" />
            </div>
            <Show loaded={list} what="The lists" lines={6}>
              {() =>
                all.length === 0 ? (
                  <Empty icon="list" title="No lists yet">
                    A list names people that agents write to together: customers, the board. An import makes one too.
                  </Empty>
                ) : (
                  <nav aria-label="Lists">
                    {all.map((each) => (
                      <Item
                        key={each.id}
                        href={`/contacts/lists/${each.id}`}
                        isCurrent={each.id === id}
                        at={each.updated_at}
                        name={each.name}
                        under={each.description}
                        side={plural(each.member_count, 'member')}
                      />
                    ))}
                  </nav>
                )
              }
            </Show>
          </>
        }
        reader={
          id === undefined ? (
            <Empty icon="list" title="No list is open" />
          ) : (
            <ListReader key={id} id={id} reload={list.reload} />
          )
        }
      />
      {isNew && (
        <ListForm
          list={null}
          onClose={() => setNew(false)}
          onDone={async (made) => {
            await list.reload();
            go(`/contacts/lists/${made.id}`);
          }}
        />
      )}
    </>
  );
};
