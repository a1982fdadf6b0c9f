/** The knowledge base: the brief for agents, the sources with their progress, and a test question. */

import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useAnswer, useRefresh } from '../api/loaded.ts';
import { Empty, Section, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, AddButton, Button, useAct } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { count, plural } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';
import { Pager, usePaged } from '../components/pager.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { Ask } from './passages.tsx';
import { type Source, SourceForm } from './source-form.tsx';

/** While a source is being read. */
const REFRESH_MS = 2_000;
const PAGE_SIZE = 50;

const isUnderWay = ({ status }: Source): boolean => status === 'pending' || status === 'indexing';

const SourceState = ({ source: { status } }: { source: Source }) => {
  if (status === 'ready') return <Badge mark="ok">ready</Badge>;
  if (status === 'failed') return <Badge mark="bad">failed</Badge>;
  return (
    <Badge mark="wait">
      <span class="pulse">{status}</span>
    </Badge>
  );
};

const nameOf = ({ title, url }: Source): string => title ?? url ?? 'Text';

interface RowProps {
  source: Source;
  isBusy: boolean;
  refresh: () => void;
  remove: () => void;
}

const SourceRow = ({ source, isBusy, refresh, remove }: RowProps) => (
  <tr>
    <td class="full">
      <b class="strong">
        <bdi>{nameOf(source)}</bdi>
      </b>
      {source.url && source.title && <p class="mono faint">{source.url}</p>}
      {source.error && <p class="small bad">{source.error}</p>}
    </td>
    <td class="dim wide-only">{source.kind}</td>
    <td>
      <SourceState source={source} />
    </td>
    <td class="num">
      {count(source.pages)}
      <span class="phone"> {source.pages === 1 ? 'page' : 'pages'}</span>
    </td>
    <td class="num dim wide-only">{source.last_indexed_at ? <Time at={source.last_indexed_at} /> : 'not yet'}</td>
    <td class="num full">
      <span class="acts-inline">
        {source.kind !== 'text' && (
          <Button words="Fetch again" isSmall disabled={isBusy || isUnderWay(source)} onClick={refresh} />
        )}
        <Button words="Remove" isSmall kind="danger" onClick={remove} />
      </span>
    </td>
  </tr>
);

export const Knowledge = () => {
  const { page: list, pages: visited } = usePaged('sources', (at, options) =>
    api.knowledge.list({ limit: PAGE_SIZE, ...at }, options),
  );
  useRefresh(list);
  const act = useAct();
  const [isNew, setNew] = useState(false);
  const sources = list.value?.sources ?? [];
  const isReading = sources.some(isUnderWay);
  // The brief is made of the sources, so it changes when a reading ends.
  const home = useAnswer(api.knowledge.home, list.value && {}, [isReading, ...sources.map(({ id }) => id)]);
  const brief = home.value?.brief ?? '';
  useEffect(() => {
    if (!isReading) return;
    const timer = setInterval(() => void list.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isReading]);
  const askToRemove = (source: Source): void =>
    ask({
      title: `Remove “${nameOf(source)}”?`,
      verb: 'Remove source',
      text: (
        <p>
          Agents find its {plural(source.pages, 'page')} no more.{' '}
          {source.kind === 'text' ? 'Its text is gone for good.' : 'It can be added and read again.'}
        </p>
      ),
      run: async () => {
        await api.knowledge.remove({ id: source.id });
        await list.reload();
        return `“${nameOf(source)}” is removed`;
      },
    });
  const pages = sources.reduce((sum, source) => sum + source.pages, 0);
  const addButton = <AddButton words="Add source" onClick={() => setNew(true)} />;
  return (
    <>
      <TitleRow
        title="Knowledge"
        context={
          home.value && (
            <span class="dim wide-only">
              {plural(home.value.sources.length + home.value.sources_left_out, 'source')}
            </span>
          )
        }
      >
        {sources.length > 0 && addButton}
      </TitleRow>
      <div class="page">
        <Show loaded={list} what="The knowledge base" shape="table" lines={8}>
          {() =>
            sources.length === 0 ? (
              <Empty isFramed icon="book" title="No sources yet" act={addButton}>
                Sites, pages and texts that agents look things up in before they answer: prices, terms, how things are
                done.
              </Empty>
            ) : (
              <Ask pages={pages} isReading={isReading}>
                <div class="holds-rest" aria-busy={!home.value && !home.failure}>
                  {brief !== '' && (
                    <Section title="The brief" note="What an agent reads first, made of the sources.">
                      <div class="panel written reading">{brief}</div>
                    </Section>
                  )}
                </div>
                <Section title="Sources" end={isReading && <span role="status">reading</span>}>
                  <ActFailure text={act.failure} />
                  <Table heads={['Source', 'Kind', 'State', '#Pages', '#Read', '']} of={sources}>
                    {(source) => (
                      <SourceRow
                        key={source.id}
                        source={source}
                        isBusy={act.isBusy}
                        remove={() => askToRemove(source)}
                        refresh={() =>
                          act.run(async () => {
                            await api.knowledge.refresh({ id: source.id });
                            await list.reload();
                            return `${nameOf(source)} is being read again`;
                          })
                        }
                      />
                    )}
                  </Table>
                  <Pager {...visited} next={list.value?.next_cursor ?? null} />
                </Section>
              </Ask>
            )
          }
        </Show>
      </div>
      {isNew && <SourceForm onClose={() => setNew(false)} onDone={list.reload} />}
    </>
  );
};
