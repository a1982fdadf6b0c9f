/** Contacts that may be one person, side by side; one is kept, with all data of the other but its names. */

import { api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { Aloud } from '../components/marks.tsx';
import { TitleRow } from '../frame/bar.tsx';
import type { Contact } from './contact.ts';
import { ContactsTabs } from './contacts-tabs.tsx';

const MOST_PAIRS = 25;

const REASON = { email: 'The same address', phone: 'The same number', name: 'The same name' } as const;

type FieldOf = readonly [name: string, of: (contact: Contact) => string];

const FIELDS: readonly FieldOf[] = [
  ['Name', ({ name }) => name],
  ['Called', ({ preferred_name }) => preferred_name ?? ''],
  ['Company', ({ company_name }) => company_name ?? ''],
  ['Job title', ({ job_title }) => job_title ?? ''],
  ['Reached at', ({ channels }) => channels.map(({ value }) => value).join(', ')],
  ['Domains', ({ domains }) => domains.join(', ')],
  ['Notes', ({ notes }) => notes ?? ''],
  ['Facts', ({ memories }) => memories.map(({ fact }) => fact).join('; ')],
];

/** Distinguishes two contacts with the same name. */
const toldApart = ({ name, channels: [first] }: Contact): string => (first ? `${name}, ${first.value}` : name);

/** What a button does, and for screen readers to whom. */
const actOn = (act: string, whom: string) => (
  <>
    {act}
    <Aloud>: {whom}</Aloud>
  </>
);

interface PairProps {
  pair: readonly [Contact, Contact];
  merge: (survivor: Contact, loser: Contact) => void;
}

const Pair = ({ pair, merge }: PairProps) => {
  const [one, other] = pair;
  const shown = FIELDS.filter(([, of]) => of(one) !== '' || of(other) !== '');
  return (
    <div class="tw">
      <table class="compare">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">Field</span>
            </th>
            <th scope="col">
              <Button words={actOn('Merge here', toldApart(one))} isSmall onClick={() => merge(one, other)} />
            </th>
            <th scope="col">
              <Button words={actOn('Merge here', toldApart(other))} isSmall onClick={() => merge(other, one)} />
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(([name, of]) => (
            <tr key={name} class={of(one) === of(other) ? 'dim' : undefined}>
              <th scope="row">{name}</th>
              <td>{of(one) || <span class="faint">none</span>}</td>
              <td>{of(other) || <span class="faint">none</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

export const Duplicates = () => {
  const list = useAnswer(api.contacts.duplicates, { limit: MOST_PAIRS });
  const askToMerge = (survivor: Contact, loser: Contact): void =>
    ask({
      title: `Merge into “${toldApart(survivor)}”?`,
      verb: 'Merge contacts',
      isDanger: false,
      text: (
        <p>
          Addresses, numbers, facts and lists of both are kept. Where both have a name, a company or a title, those of “
          {toldApart(survivor)}” stay, and the others are gone. It cannot be undone.
        </p>
      ),
      run: async () => {
        const kept = await api.contacts.merge({ survivor_id: survivor.id, loser_id: loser.id });
        await list.reload();
        return `${kept.name} is one contact`;
      },
    });
  const apart = useAct();
  return (
    <>
      <TitleRow
        title="Duplicates"
        context={list.value && <span class="dim wide-only">{plural(list.value.pairs.length, 'pair')}</span>}
      />
      <div class="page">
        <div class="tools">
          <ContactsTabs current="/contacts/duplicates" />
        </div>
        <ActFailure text={apart.failure} />
        <Show loaded={list} what="The duplicates" lines={8}>
          {({ pairs }) =>
            pairs.length === 0 ? (
              <Empty isFramed icon="check" title="No two contacts look like one person">
                Addresses, numbers and names were compared.
              </Empty>
            ) : (
              <>
                {pairs.map(({ reason, value, contacts: [one, other] }) =>
                  one && other ? (
                    <section key={`${one.id} ${other.id} ${reason}`} aria-label={`${one.name} and ${other.name}`}>
                      <div class="head">
                        <h2>{REASON[reason]}</h2>
                        <p class="dim mono">{value}</p>
                        <p class="end">
                          <Button
                            words={actOn('Not the same', `${toldApart(one)} and ${toldApart(other)}`)}
                            kind="quiet"
                            isSmall
                            isIdle={apart.isBusy}
                            onClick={() =>
                              apart.run(async () => {
                                await api.contacts.keepApart({ one_id: one.id, other_id: other.id });
                                await list.reload();
                                return 'Kept as two contacts';
                              })
                            }
                          />
                        </p>
                      </div>
                      <Pair pair={[one, other]} merge={askToMerge} />
                    </section>
                  ) : null,
                )}
                {pairs.length === MOST_PAIRS && (
                  <p class="pager">The first {MOST_PAIRS} pairs are shown; merged ones make room for the others.</p>
                )}
              </>
            )
          }
        </Show>
      </div>
    </>
  );
};
