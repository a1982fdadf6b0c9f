/** The notes of agents and owners, the newest first. */

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { AddButton } from '../components/controls.tsx';
import { plural } from '../components/format.ts';
import { Find } from '../components/inputs.tsx';
import { useAsked } from '../frame/asked.ts';
import { TitleRow } from '../frame/bar.tsx';
import { SearchedRows, useSearched } from '../frame/searched.tsx';
import { Item, SplitView } from '../frame/split-view.tsx';
import { NoteForm } from './note-form.tsx';
import { NoteReader } from './note-reader.tsx';
import { titleOf } from './note-title.ts';

const NoNotes = ({ q }: { q: string }) =>
  q === '' ? (
    <Empty icon="note" title="No notes yet">
      Agents write down what later work needs; what you write, they read.
    </Empty>
  ) : (
    <Empty icon="search" title="Nothing matches">
      Titles and texts were searched.
    </Empty>
  );

export const Notes = () => {
  const notes = useSearched({
    what: 'note',
    href: '/notes',
    loadPage: async (input, options) => {
      const { notes: rows, next_cursor } = await api.notes.list(input, options);
      return { rows, next_cursor };
    },
    loadOne: (id, options) => api.notes.get({ id }, options),
  });
  const { id, find, q, shown, isBare, hrefOf, open, reload } = notes;
  const [isNew, setNew] = useState(false);
  useAsked('note', () => setNew(true));
  return (
    <>
      <TitleRow title="Notes">
        <AddButton words="New note" onClick={() => setNew(true)} />
      </TitleRow>
      <SplitView
        isOpen={id !== undefined}
        list={
          <>
            {!isBare && (
              <div class="tools">
                <Find label="Search notes" placeholder="Words" {...find} />
              </div>
            )}
            <SearchedRows of={notes} what="The notes" label="Notes" empty={<NoNotes q={q} />}>
              {(note) => (
                <Item
                  key={note.id}
                  href={hrefOf(note.id)}
                  isCurrent={note.id === id}
                  at={note.updated_at}
                  name={titleOf(note)}
                  under={note.title === null ? '' : note.body.slice(0, 120)}
                  side={note.agents === null ? 'every agent' : plural(note.agents.length, 'agent')}
                />
              )}
            </SearchedRows>
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
      {isNew && <NoteForm note={null} onClose={() => setNew(false)} onDone={open} />}
    </>
  );
};
