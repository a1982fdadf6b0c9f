/** The vault: secrets by name, their agents, and their readers. The list has no value. */

import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { api } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { useRefreshed } from '../api/loaded.ts';
import { DidNotLoad, Empty, Show } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { plural } from '../components/format.ts';
import { Find } from '../components/inputs.tsx';
import { useAsked } from '../frame/asked.ts';
import { TitleRow } from '../frame/bar.tsx';
import { BackLink } from '../frame/reader-head.tsx';
import { Item, SplitView } from '../frame/split-view.tsx';
import { useSteps } from '../frame/steps.ts';
import { type Secret, typeWords } from './forms.ts';
import { SecretForm } from './secret-form.tsx';
import { SecretReader } from './secret-reader.tsx';

/** Rows at once: a filter finds the others. */
const MOST_SHOWN = 200;

const NOT_FOUND = new Failure(404, 'secret_not_found', 'No such secret in this workspace.');

const isFound = ({ name, type, tags }: Secret, words: string): boolean =>
  [name, type, ...tags].some((text) => text.toLowerCase().includes(words));

export const Vault = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const [text, setText] = useState('');
  const [isNew, setNew] = useState(false);
  useAsked('secret', () => setNew(true));
  const list = useRefreshed(api.secrets.list, {});
  const all = list.value?.secrets ?? [];
  const words = text.trim().toLowerCase();
  const found = all.filter((secret) => isFound(secret, words)).slice(0, MOST_SHOWN);
  const shown = all.find((secret) => secret.id === id);
  const at = found.findIndex((secret) => secret.id === id);
  const links = found.map((each) => `/vault/${each.id}`);
  useSteps({ what: 'secret', links, at, list: '/vault' });
  const newButton = (
    <Button words="New secret" kind={all.length === 0 ? 'plain' : 'primary'} icon="plus" onClick={() => setNew(true)} />
  );
  return (
    <>
      <TitleRow title="Vault" context={list.value && <span class="dim wide-only">{plural(all.length, 'secret')}</span>}>
        {all.length > 0 && newButton}
      </TitleRow>
      <Show loaded={list} what="The vault" lines={8}>
        {() =>
          all.length === 0 ? (
            <div class="page">
              <Empty isFramed icon="lock" title="No secrets yet" act={newButton}>
                What agents sign in with: sealed here, opened by those that you grant it to, and kept out of the mail
                they send.
              </Empty>
            </div>
          ) : (
            <SplitView
              isOpen={id !== undefined}
              list={
                <>
                  <div class="tools">
                    <Find label="Filter secrets" placeholder="Name, type or tag" value={text} onInput={setText} />
                  </div>
                  {found.length === 0 ? (
                    <Empty icon="search" title="Nothing matches" />
                  ) : (
                    <nav aria-label="Secrets">
                      {found.map((secret) => (
                        <Item
                          key={secret.id}
                          href={`/vault/${secret.id}`}
                          isCurrent={secret.id === id}
                          at={secret.updated_at}
                          name={secret.name}
                          under={typeWords(secret)}
                          side={secret.grants.length === 0 ? 'no agent' : plural(secret.grants.length, 'agent')}
                        />
                      ))}
                    </nav>
                  )}
                </>
              }
              reader={
                shown ? (
                  <SecretReader key={shown.id} secret={shown} reload={list.reload} />
                ) : id !== undefined ? (
                  <>
                    <BackLink href="/vault">Secrets</BackLink>
                    <DidNotLoad what="The secret" failure={NOT_FOUND} again={() => void list.reload()} />
                  </>
                ) : (
                  <Empty icon="lock" title="No secret is open">
                    Who may open one, and who has, stands beside it. Its value is shown at a press, and that is
                    recorded.
                  </Empty>
                )
              }
            />
          )
        }
      </Show>
      {isNew && (
        <SecretForm
          secret={null}
          onClose={() => setNew(false)}
          onDone={async (secret) => {
            await list.reload();
            go(`/vault/${secret.id}`);
          }}
        />
      )}
    </>
  );
};
