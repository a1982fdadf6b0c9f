/** Approvals: held mail, the newest first, each shown whole before it is decided; the next one at once. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearch } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { TitleRow } from '../frame/bar.tsx';
import { useOtherWorkspace } from '../frame/other-workspace.ts';
import { useSteps } from '../frame/steps.ts';
import { Button, useIsThere } from '../pieces/controls.tsx';
import { keepDrafts } from '../pieces/drafts.ts';
import { plural } from '../pieces/format.ts';
import { Badge } from '../pieces/marks.tsx';
import { Empty, Show } from '../pieces/states.tsx';
import { Time } from '../pieces/time.tsx';
import { announcement, sayFailed } from '../pieces/toast.tsx';
import { DecidedMail } from './decided.tsx';
import { HeldReader } from './held-reader.tsx';
import { concernsHeld, type Held, whyHeld } from './why-held.ts';

const linkTo = (id: string): string => `/approvals/${id}`;

const Item = ({ held, isCurrent }: { held: Held; isCurrent: boolean }) => {
  const { mark, short } = whyHeld(held);
  const [first, ...others] = [...held.to, ...held.cc, ...held.bcc];
  return (
    <Link class="item" href={linkTo(held.pending_id)} aria-current={isCurrent ? 'true' : undefined}>
      <span class="who strong">
        {held.agent ?? 'removed agent'}
        <span class="n">{held.send_class}</span>
      </span>
      <Time at={held.created_at} as="ago" />
      <span class="subj clip">{held.subject || '(no subject)'}</span>
      <span class="snip clip">
        to {first}
        {others.length > 0 ? ` and ${plural(others.length, 'other')}` : ''}
      </span>
      <span class="snip">
        <Badge mark={mark}>{short}</Badge>
      </span>
    </Link>
  );
};

const NextUp = ({ rest }: { rest: Held[] }) =>
  rest.length === 0 ? null : (
    <section class="nextup" aria-labelledby="h-next">
      <h2 class="faint" id="h-next">
        Next in line
      </h2>
      <ul class="ledger">
        {rest.slice(0, 5).map((held) => (
          <li key={held.pending_id}>
            <Link class="clip" href={linkTo(held.pending_id)}>
              {held.subject || '(no subject)'}
            </Link>
            <span class="faint">
              {held.agent ?? 'removed agent'} to {held.to[0] ?? held.cc[0] ?? held.bcc[0]}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );

const NoneWaiting = () => (
  <Empty icon="approve" title="Nothing waits for you">
    Mail comes here where an agent is on hold, where a guarded agent answers mail that did not authenticate, and where a
    mail holds a secret. Where mail leaves this machine, you get a notice of each.
  </Empty>
);

export const Approvals = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const isDecided = useSearch() === 'decided';
  const [outcome, setOutcome] = useState<string | null>(null);
  const list = useLoaded((signal) => api.heldMail.list({}, { signal }), 'held');
  useLive(concernsHeld, () => void list.reload());
  const pending = list.value?.pending ?? [];
  const at = pending.findIndex(({ pending_id }) => pending_id === id);
  useOtherWorkspace(id, list.value !== null && at < 0, (pending_id, workspace) =>
    api.heldMail.get({ pending_id }, { workspace }),
  );
  useEffect(() => {
    if (list.value) keepDrafts((of) => pending.some(({ pending_id }) => pending_id === of));
  }, [list.value]);
  // By its address: mail that is held meanwhile stands first in the list, and must not take the place of what is read.
  const first = pending[0]?.pending_id;
  useEffect(() => {
    if (!isDecided && id === undefined && first !== undefined) go(linkTo(first), { replace: true });
  }, [id, first, isDecided]);

  const links = pending.map(({ pending_id }) => linkTo(pending_id));
  const { linkAt, step } = useSteps({ what: 'held message', links, at });
  const isThere = useIsThere();
  // What waits when the answer comes, which may be later.
  const latest = useRef(pending);
  latest.current = pending;

  const onDecided = async (decided: string, said: string, failure: string | null): Promise<void> => {
    if (failure !== null && !isThere()) sayFailed(failure);
    setOutcome(failure);
    const place = latest.current.findIndex(({ pending_id }) => pending_id === decided);
    const rest = latest.current.filter(({ pending_id }) => pending_id !== decided);
    const next = rest[Math.min(Math.max(place, 0), rest.length - 1)];
    list.set({ pending: rest });
    const isShown = location.pathname.endsWith(linkTo(decided));
    if (isShown) go(next ? linkTo(next.pending_id) : '/approvals', { replace: true });
    announcement.value = `${said}. ${next ? `${isShown ? `Next: ${next.subject}, ` : ''}${rest.length} left` : 'Nothing waits any more'}.`;
    await Promise.all([list.reload(), loadOverview()]);
  };

  const onUndone = async (): Promise<void> => {
    await Promise.all([list.reload(), loadOverview()]);
  };

  return (
    <>
      <TitleRow
        title="Approvals"
        context={
          !isDecided &&
          pending.length > 0 &&
          at >= 0 && <span class="dim nowrap wide-only">{`${at + 1} of ${pending.length}`}</span>
        }
      >
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that are pressed, not fields of a form */}
        <div class="seg" role="group" aria-label="Show">
          <button type="button" aria-pressed={!isDecided} onClick={() => go('/approvals')}>
            Waiting {list.value && <span class="wide-only">{pending.length}</span>}
          </button>
          <button type="button" aria-pressed={isDecided} onClick={() => go('/approvals?decided')}>
            Decided
          </button>
        </div>
        {!isDecided && (
          <>
            <Button
              kind="quiet"
              icon="back"
              label="Previous"
              disabled={linkAt(-1) === undefined}
              onClick={() => step(-1)}
            />
            <Button
              kind="quiet"
              icon="out"
              label="Next"
              disabled={id === undefined || linkAt(1) === undefined}
              onClick={() => step(1)}
            />
          </>
        )}
      </TitleRow>
      {isDecided ? (
        <DecidedMail />
      ) : (
        <Show loaded={list} what="The held mail" lines={8}>
          {() =>
            pending.length === 0 && id === undefined ? (
              <div class="page">
                {outcome && <NotSent text={outcome} />}
                <div class="tw">
                  <NoneWaiting />
                </div>
              </div>
            ) : (
              <div class="duo solo">
                <nav class="list" aria-label="Held mail">
                  {pending.map((held) => (
                    <Item key={held.pending_id} held={held} isCurrent={held.pending_id === id} />
                  ))}
                </nav>
                <article class="reader">
                  {outcome && <NotSent text={outcome} />}
                  {at >= 0 && <p class="phone dim">{`${at + 1} of ${pending.length}`}</p>}
                  {id && <HeldReader key={id} id={id} onDecided={onDecided} onUndone={onUndone} />}
                  <NextUp rest={pending.filter(({ pending_id }) => pending_id !== id)} />
                </article>
              </div>
            )
          }
        </Show>
      )}
    </>
  );
};

/** What was approved and did not go. */
const NotSent = ({ text }: { text: string }) => (
  <div class="callout bad" role="alert">
    <div>
      <p>{text}</p>
    </div>
  </div>
);
