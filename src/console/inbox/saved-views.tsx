/** Named views of mail, as addresses, stored in this browser. */

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { keep, readKeptRows } from '../api/kept.ts';
import { workspace } from '../api/session.ts';
import { Button } from '../components/controls.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField, useTexts } from '../components/inputs.tsx';

interface Saved {
  name: string;
  search: string;
}

const keyOf = (): string => `postroom-views ${workspace.value?.slug}`;

const NewView = ({ add, onClose }: { add: (name: string) => void; onClose: () => void }) => {
  const [{ name }, field] = useTexts({ name: '' });
  return (
    <FormDialog
      title="Save this view"
      verb="Save view"
      isDisabled={name.trim() === ''}
      onClose={onClose}
      run={async () => {
        add(name.trim());
        return `“${name.trim()}” is saved in this browser`;
      }}
    >
      <TextField label="Name" isRequired maxLength={40} placeholder="Nordkai, open" {...field('name')} />
    </FormDialog>
  );
};

/** @param search of the address, which defines the view */
export const SavedViews = ({ search }: { search: string }) => {
  const [views, setViews] = useState(() => readKeptRows<Saved>('browser', keyOf()));
  const [isAsked, setAsked] = useState(false);
  const current = views.find((view) => view.search === search);
  const change = (next: Saved[]): void => {
    setViews(next);
    keep('browser', keyOf(), JSON.stringify(next));
  };
  return (
    <>
      {(views.length > 0 || search !== '') && <span class="sep wide-only" aria-hidden="true" />}
      {views.map((view) => (
        <Link
          key={view.search}
          class="btn quiet small"
          href={`/mail?${view.search}`}
          aria-current={view === current ? 'true' : undefined}
        >
          <bdi>{view.name}</bdi>
        </Link>
      ))}
      {current && (
        <Button
          words={`Forget “${current.name}”`}
          kind="quiet"
          isSmall
          icon="x"
          onClick={() => change(views.filter((view) => view !== current))}
        />
      )}
      {!current && search !== '' && (
        <Button words="Save this view" kind="quiet" isSmall icon="plus" onClick={() => setAsked(true)} />
      )}
      {isAsked && <NewView add={(name) => change([...views, { name, search }])} onClose={() => setAsked(false)} />}
    </>
  );
};
