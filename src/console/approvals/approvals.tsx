/** Approvals: held mail, the first to expire on top, each shown whole before it is decided; the next one at once. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useParams, useSearch } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer, useLive } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { Empty, Show } from '../components/blocks.tsx';
import { Button, useIsThere } from '../components/controls.tsx';
import { keepDrafts } from '../components/drafts.ts';
import { Segments } from '../components/inputs.tsx';
import { announcement, sayFailed } from '../components/toast.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { useOtherWorkspace } from '../frame/other-workspace.ts';
import { useSteps } from '../frame/steps.ts';
import type { OnDecided } from './decide.tsx';
import { DecidedMail } from './decided.tsx';
import { HeldList, HeldRows, inOrder, isPickable, linkTo, withGoing } from './held-list.tsx';
import { HeldReader } from './held-reader.tsx';
import { Picked } from './picked.tsx';
import { concernsHeld } from './why-held.ts';

const NoneWaiting = () => (
  <Empty icon="approve" title="Nothing waits for you">
    Mail comes here where an agent is on hold, where a guarded agent answers mail that did not authenticate, and where a
    mail holds a secret. It shows here within a second, and in the title of the tab; where mail leaves this machine, you
    get a notice of each.
  </Empty>
);

export const Approvals = () => {
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const isDecided = useSearch() === 'decided';
  const [outcome, setOutcome] = useState<string | null>(null);
  const list = useAnswer(api.heldMail.list, {});
  useLive(concernsHeld, () => void list.reload());
  const pending = inOrder(list.value?.pending ?? []);
  const [picks, setPicks] = useState<ReadonlySet<string>>(new Set());
  const picked = pending.filter(({ pending_id }) => picks.has(pending_id));
  const pickable = pending.filter(isPickable).map(({ pending_id }) => pending_id);
  const lastPick = useRef('');
  const onPick = (of: string, toHere = false): void => {
    const [from, to] = [pickable.indexOf(toHere ? lastPick.current : of), pickable.indexOf(of)];
    const span = from < 0 ? [of] : pickable.slice(Math.min(from, to), Math.max(from, to) + 1);
    lastPick.current = of;
    setPicks(new Set(picks.has(of) ? [...picks].filter((each) => !span.includes(each)) : [...picks, ...span]));
  };
  const at = pending.findIndex(({ pending_id }) => pending_id === id);
  const shown = withGoing(pending);
  const shownAt = shown.findIndex(({ pending_id }) => pending_id === id);
  const place = `${shownAt + 1} of ${shown.length}`;
  useOtherWorkspace(id, list.value !== null && at < 0, (pending_id, workspace) =>
    api.heldMail.get({ pending_id }, { workspace }),
  );
  useEffect(() => {
    if (list.value) keepDrafts((of) => pending.some(({ pending_id }) => pending_id === of));
  }, [list.value]);
  // The address names the open mail, so that it stays open where another person decides it.
  const first = pending[0]?.pending_id;
  useEffect(() => {
    if (!isDecided && id === undefined && first !== undefined) go(linkTo(first), { replace: true });
  }, [id, first, isDecided]);

  const links = pending.map(({ pending_id }) => linkTo(pending_id));
  const { linkAt, step } = useSteps({ what: 'held message', links, at });
  const isThere = useIsThere();
  // The list at the time of the answer.
  const latest = useRef(pending);
  latest.current = pending;

  /** Removes decided mail from the list; where it was open, opens the next one. */
  const onDecided: OnDecided = async (decided, said, failures) => {
    if (failures !== null && !isThere()) sayFailed(failures);
    setPicks(new Set());
    setOutcome(failures);
    const place = latest.current.findIndex(({ pending_id }) => pending_id === decided[0]);
    const rest = latest.current.filter(({ pending_id }) => !decided.includes(pending_id));
    const next = rest[Math.min(Math.max(place, 0), rest.length - 1)];
    list.set({ pending: rest });
    const isShown = decided.some((of) => location.pathname.endsWith(linkTo(of)));
    if (isShown) go(next ? linkTo(next.pending_id) : '/approvals', { replace: true });
    announcement.value = `${said}. ${next ? `${isShown ? `Next: ${next.subject}, ` : ''}${rest.length} left` : 'Nothing waits any more'}.`;
    await Promise.all([list.reload(), loadOverview()]);
  };

  const onUndone = async (of: string): Promise<void> => {
    await Promise.all([list.reload(), loadOverview()]);
    go(linkTo(of));
  };

  return (
    <>
      <TitleRow
        title="Approvals"
        entry={shown[shownAt]?.subject}
        context={
          !isDecided &&
          pending.length > 0 &&
          (picked.length > 0 || at >= 0) && (
            <span class="dim nowrap wide-only">
              {picked.length > 0 ? `${picked.length} of ${shown.length} picked` : place}
            </span>
          )
        }
      >
        <Segments
          label="Show"
          value={isDecided}
          options={[
            [false, <>Waiting {list.value && <span class="wide-only">{shown.length}</span>}</>],
            [true, 'Decided'],
          ]}
          onChange={(wanted) => go(wanted ? '/approvals?decided' : '/approvals')}
        />
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
                  <HeldRows pending={[]} />
                  <NoneWaiting />
                </div>
              </div>
            ) : (
              <div class="split-view solo">
                <HeldList pending={pending} id={id} picked={picks} onPick={onPick} isPicking={picked.length > 0} />
                <article class="reader firm">
                  {outcome && <NotSent text={outcome} />}
                  {picked.length > 0 ? (
                    <Picked
                      picked={picked}
                      onAll={picked.length < pickable.length ? () => setPicks(new Set(pickable)) : null}
                      onUndone={onUndone}
                      onDecided={onDecided}
                      onClear={() => setPicks(new Set())}
                    />
                  ) : (
                    <>
                      {at >= 0 && <p class="phone dim">{place}</p>}
                      {id && <HeldReader key={id} id={id} onDecided={onDecided} onUndone={onUndone} />}
                    </>
                  )}
                </article>
              </div>
            )
          }
        </Show>
      )}
    </>
  );
};

/** An approved mail that was not sent. */
const NotSent = ({ text }: { text: string }) => (
  <div class="callout bad" role="alert">
    <div>
      <p>{text}</p>
    </div>
  </div>
);
