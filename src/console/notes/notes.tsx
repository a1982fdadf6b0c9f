/** What agents and owners wrote down, the newest first. */

import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { TitleRow } from '../frame/bar.tsx';
import { Duo, Item } from '../frame/duo.tsx';
import { useSteps } from '../frame/steps.ts';
import { Button } from '../pieces/controls.tsx';
import { plural } from '../pieces/format.ts';
import { Find, useTyped } from '../pieces/inputs.tsx';
import { Pager, usePages } from '../pieces/pager.tsx';
import { Empty, Show } from '../pieces/states.tsx';
import { NoteForm, titleOf } from './note-form.tsx';
import { NoteReader } from './note-reader.tsx';

const PAGE = 50;

export const Notes = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const q = useTyped(text);
  const [isNew, setNew] = useState(false);
  const { cursors, cursor, turn } = usePages(q);
  const list = useLoaded(
    (signal) =>
      api.notes.list({ limit: PAGE, ...(q !== '' && { q }), ...(cursor !== undefined && { cursor }) }, { signal }),
    `notes ${q} ${cursor ?? ''}`,
  );
  const shown = useLoaded(
    (signal) => api.notes.get({ note_id: id ?? '' }, { signal }),
    id === undefined ? null : `note ${id}`,
  );
  useLive(
    (event) => event === null,
    () => void list.reload(),
  );
  const reload = async (): Promise<void> => {
    await Promise.all([list.reload(), shown.reload()]);
  };
  const rows = list.value?.notes ?? [];
  const at = rows.findIndex((note) => note.id === id);
  const links = rows.map((each) => `/notes/${each.id}`);
  useSteps({ what: 'note', links, at, list: '/notes' });
  const isBare = list.value !== null && rows.length === 0 && q === '' && cursors.length === 0;
  return (
    <>
      <TitleRow title="Notes">
        <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
          New note
        </Button>
      </TitleRow>
      <Duo
        isOpen={id !== undefined}
        list={
          <>
            {!isBare && (
              <div class="tools">
                <Find {...{ label: 'Search notes', placeholder: 'Words', value: text, onInput: setText }} />
              </div>
            )}
            <Show loaded={list} what="The notes" lines={8}>
              {({ next_cursor }) =>
                rows.length === 0 ? (
                  <Empty icon={q === '' ? 'note' : 'search'} title={q === '' ? 'No notes yet' : 'Nothing matches'}>
                    {q === ''
                      ? 'Agents write down what later work needs; what you write, they read.'
                      : 'Titles and texts were searched.'}
                  </Empty>
                ) : (
                  <>
                    <nav aria-label="Notes">
                      {rows.map((note) => (
                        <Item
                          key={note.id}
                          {...{ href: `/notes/${note.id}`, isCurrent: note.id === id, at: note.updated_at }}
                          name={titleOf(note)}
                          under={note.title === null ? '' : note.body.slice(0, 120)}
                          side={note.agents === null ? 'every agent' : plural(note.agents.length, 'agent')}
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
            <Empty icon="note" title="No note is open">
              Which agents read it stands under its text.
            </Empty>
          ) : (
            <Show loaded={shown} what="The note" lines={6}>
              {(note) => <NoteReader key={note.id} note={note} reload={reload} />}
            </Show>
          )
        }
      />
      {isNew && (
        <NoteForm
          note={null}
          onClose={() => setNew(false)}
          onDone={async (note) => {
            await list.reload();
            go(`/notes/${note.id}`);
          }}
        />
      )}
    </>
  );
};
