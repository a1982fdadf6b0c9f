/** One note, and the agents that read it. */

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { overview } from '../api/overview.ts';
import { Section, Time } from '../components/blocks.tsx';
import { ActFailure, Switch, useAct } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { sayDone } from '../components/toast.tsx';
import { useGoOn } from '../frame/go-on.ts';
import { BackLink, ReaderHead } from '../frame/reader-head.tsx';
import { NoteForm } from './note-form.tsx';
import { type Note, titleOf } from './note-title.ts';

const Readers = ({ note, reload }: { note: Note; reload: () => Promise<void> }) => {
  const act = useAct();
  const handles = (overview.value?.agents ?? []).map(({ handle }) => handle);
  const reads = (handle: string): boolean => note.agents === null || note.agents.includes(handle);
  const grant = (agents: string[] | null, done: string): void =>
    act.run(async () => {
      await api.notes.grant({ id: note.id, agents });
      await reload();
      return done;
    });
  return (
    <Section
      class="gap"
      title="Who reads it"
      end={note.agents === null ? 'every agent' : `${note.agents.length} of ${handles.length} agents`}
    >
      <div class="panel settings">
        <Switch
          label="Every agent"
          hint="Also those that are made later."
          checked={note.agents === null}
          isIdle={act.isBusy}
          onChange={(on) =>
            grant(on ? null : handles, on ? 'Every agent reads it' : 'Only the agents that are named read it')
          }
        />
        {note.agents !== null &&
          handles.map((handle) => (
            <Switch
              key={handle}
              label={handle}
              checked={reads(handle)}
              isIdle={act.isBusy}
              onChange={(on) =>
                grant(
                  handles.filter((each) => (each === handle ? on : reads(each))),
                  on ? `${handle} reads it` : `${handle} reads it no more`,
                )
              }
            />
          ))}
        <ActFailure text={act.failure} />
      </div>
    </Section>
  );
};

export const NoteReader = ({ note, reload }: { note: Note; reload: () => Promise<void> }) => {
  const goOn = useGoOn();
  const [isEdited, setEdited] = useState(false);
  const act = useAct();
  const remove = async (): Promise<void> => {
    const go = goOn();
    await api.notes.remove({ id: note.id });
    go('/notes');
    await reload();
  };
  const removeWithUndo = (): void =>
    act.run(async () => {
      await remove();
      sayDone(`“${titleOf(note)}” is deleted`, async () => {
        const go = goOn();
        const made = await api.notes.create({ title: note.title, body: note.body });
        go(`/notes/${made.id}`);
        await reload();
        return `“${titleOf(note)}” is back`;
      });
    });
  const askToRemove = (): void =>
    ask({
      title: `Delete “${titleOf(note)}”?`,
      verb: 'Delete note',
      text: <p>It is gone for good, for the agents that read it too.</p>,
      run: async () => {
        await remove();
        return `“${titleOf(note)}” is deleted`;
      },
    });
  return (
    <>
      <BackLink href="/notes">Notes</BackLink>
      <ReaderHead
        name={titleOf(note)}
        // A restored note is for every agent, so a restricted one is not restored.
        remove={note.agents === null ? removeWithUndo : askToRemove}
        isRemoving={act.isBusy}
        edit={() => setEdited(true)}
      />
      <p class="faint under">
        written <Time at={note.created_at} as="day" />
        {note.updated_at !== note.created_at && (
          <>
            , changed <Time at={note.updated_at} as="day" />
          </>
        )}
        {note.made_by?.name && (
          <>
            {' '}
            by <bdi>{note.made_by.name.replace(/^owner:/, '')}</bdi>
          </>
        )}
      </p>
      <ActFailure text={act.failure} />
      <div class="panel written reading">{note.body}</div>
      <Readers note={note} reload={reload} />
      {isEdited && <NoteForm note={note} onClose={() => setEdited(false)} onDone={reload} />}
    </>
  );
};
