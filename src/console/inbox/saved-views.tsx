/** Named views of mail, as addresses, stored in this browser. */

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { keep, readKeptRows } from '../api/kept.ts';
import { workspace } from '../api/session.ts';
import { Button } from '../components/controls.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';

interface Saved {
  name: string;
  search: string;
}

const keyOf = (): string => `postroom-views ${workspace.value?.slug}`;

/** @param search of the address, which defines the view */
export const SavedViews = ({ search }: { search: string }) => {
  const [views, setViews] = useState(() => readKeptRows<Saved>('browser', keyOf()));
  const [isAsked, setAsked] = useState(false);
  const [name, setName] = useState('');
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
          kind="quiet"
          isSmall
          icon="x"
          onClick={() => change(views.filter((view) => view !== current))}
        >{`Forget “${current.name}”`}</Button>
      )}
      {!current && search !== '' && (
        <Button kind="quiet" isSmall icon="plus" onClick={() => setAsked(true)}>
          Save this view
        </Button>
      )}
      {isAsked && (
        <FormDialog
          title="Save this view"
          verb="Save view"
          isDisabled={name.trim() === ''}
          onClose={() => setAsked(false)}
          run={async () => {
            change([...views, { name: name.trim(), search }]);
            setName('');
            return `“${name.trim()}” is saved in this browser`;
          }}
        >
          <TextField
            label="Name"
            name="name"
            isRequired
            maxLength={40}
            placeholder="Nordkai, open"
            value={name}
            onInput={setName}
          />
        </FormDialog>
      )}
    </>
  );
};
