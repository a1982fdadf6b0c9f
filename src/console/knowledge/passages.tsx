/** An agent's answer to a question: the best passages, each with its page. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useAnswer, useReloadOn } from '../api/loaded.ts';
import { Empty, Section, Show, Time } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { Find, useFind } from '../components/inputs.tsx';

type Hit = Answer<'knowledge', 'search'>['hits'][number];

/** An agent's default. */
const HITS = 8;
const PAGE_CHARS = 20_000;

const PageText = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const [offset, setOffset] = useState(0);
  const page = useAnswer(api.knowledge.page, { id, max_chars: PAGE_CHARS, offset });
  return (
    <Dialog title={page.value?.title ?? 'The page'} onClose={onClose} class="large" close="Close">
      <Show loaded={page} what="The page" lines={8}>
        {({ url, text, text_chars, next_offset, fetched_at }) => (
          <>
            <p class="dim">
              {url && <span class="mono">{url} </span>}
              read <Time at={fetched_at} as="day" />
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
            <pre class="source" tabIndex={0}>
              {text}
            </pre>
            {next_offset !== null && (
              <p class="pager">
                Up to {offset + text.length} of {text_chars} characters.
                <span class="end">
                  <Button words="Go on" isSmall onClick={() => setOffset(next_offset)} />
                </span>
              </p>
            )}
          </>
        )}
      </Show>
    </Dialog>
  );
};

const Passage = ({ hit, read }: { hit: Hit; read: () => void }) => (
  <li>
    <p class="strong">
      <button type="button" class="link" onClick={read}>
        <bdi>{hit.title ?? hit.url ?? 'Without a title'}</bdi>
      </button>
      {hit.heading !== '' && hit.heading !== hit.title && <span class="dim"> {hit.heading}</span>}
    </p>
    <blockquote class="written">{hit.passage}</blockquote>
    {hit.url && <p class="mono faint">{hit.url}</p>}
  </li>
);

interface AskProps {
  /** Pages read so far, and whether more follow: the question is repeated with each. */
  pages: number;
  isReading: boolean;
  /** Shown without a question. */
  children: ComponentChildren;
}

export const Ask = ({ pages, isReading, children }: AskProps) => {
  const [page, setPage] = useState<string | null>(null);
  const { q, find } = useFind();
  const found = useAnswer(api.knowledge.search, q === '' ? null : { q, limit: HITS });
  useReloadOn(found, [pages, isReading]);
  return (
    <>
      <Section
        class="ask"
        title="Ask as an agent does"
        note={
          q !== '' && found.value && <span role="status">{plural(found.value.hits.length, 'passage')}, best first</span>
        }
      >
        <Find label="Question" placeholder="When do we ship to Bergen?" {...find} />
        {q !== '' && (
          <div class="after-field">
            <Show loaded={found} what="The passages" lines={6}>
              {({ hits }) =>
                hits.length === 0 ? (
                  <Empty isFramed icon="search" title="No passage fits">
                    {isReading
                      ? 'Not yet: a source is still being read.'
                      : 'An agent that asks this gets nothing. Add a source that answers it.'}
                  </Empty>
                ) : (
                  <ol class="passages panel">
                    {hits.map((hit) => (
                      <Passage
                        key={`${hit.page_id} ${hit.heading} ${hit.passage.slice(0, 40)}`}
                        hit={hit}
                        read={() => setPage(hit.page_id)}
                      />
                    ))}
                  </ol>
                )
              }
            </Show>
          </div>
        )}
      </Section>
      {q === '' && children}
      {page && <PageText id={page} onClose={() => setPage(null)} />}
    </>
  );
};
