/** Lists of contacts, and who is on one. */

import { useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { TitleRow } from '../frame/bar.tsx';
import { Button } from '../pieces/controls.tsx';
import { plural } from '../pieces/format.ts';
import { Empty, Show } from '../pieces/states.tsx';
import { Time } from '../pieces/time.tsx';
import { ContactsTabs } from './contacts-tabs.tsx';
import { ListForm } from './list-form.tsx';
import { ListReader } from './list-reader.tsx';

export const Lists = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const list = useLoaded((signal) => api.contactLists.list({}, { signal }), 'lists');
  const all = list.value?.lists ?? [];
  return (
    <>
      <TitleRow title="Lists" context={list.value && <span class="dim wide-only">{plural(all.length, 'list')}</span>}>
        <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
          New list
        </Button>
      </TitleRow>
      <div class={`duo ${id === undefined ? '' : 'solo'}`}>
        <div class="list">
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
                    <Link
                      key={each.id}
                      class="item vault"
                      href={`/contacts/lists/${each.id}`}
                      aria-current={each.id === id ? 'true' : undefined}
                    >
                      <span class="who strong clip">
                        <bdi>{each.name}</bdi>
                      </span>
                      <Time at={each.updated_at} />
                      <span class="snip clip">{each.description}</span>
                      <span class="side">{plural(each.member_count, 'member')}</span>
                    </Link>
                  ))}
                </nav>
              )
            }
          </Show>
        </div>
        <article class="reader">
          {id === undefined ? (
            <Empty icon="list" title="No list is open" />
          ) : (
            <ListReader key={id} id={id} reload={list.reload} />
          )}
        </article>
      </div>
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
