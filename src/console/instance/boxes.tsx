/** The boxes of an installation on a shared database, and the hand-over. Shows nothing where the data is one machine's. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useRefresh } from '../api/live.ts';
import { useLoaded } from '../api/loaded.ts';
import { Button } from '../components/controls.tsx';
import { Ask } from '../components/dialog.tsx';
import { Badge } from '../components/marks.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';

type Box = NonNullable<Answer<'boxes', 'list'>['boxes']>[number];

/** The console is away between two boxes; a box drains within 30 s. */
const SERVES_WITHIN_MS = 60_000;
const LOOK_MS = 1_000;

/** @returns the box that serves in the place of another; null where none did in time */
const findNext = async (before: Box): Promise<Box | null> => {
  for (const end = performance.now() + SERVES_WITHIN_MS; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { boxes } = await api.boxes.list({}).catch(() => ({ boxes: null }));
    const serving = boxes?.find(({ state }) => state === 'serving');
    if (serving && (serving.name !== before.name || serving.since !== before.since)) return serving;
  }
  return null;
};

interface HandOverProps {
  serving: Box;
  onClose: () => void;
  onDone: () => void;
}

const HandOver = ({ serving, onClose, onDone }: HandOverProps) => (
  <Ask
    title={`Hand over from ${serving.name}?`}
    verb="Hand over"
    busy="Handing over…"
    isDanger={false}
    onClose={onClose}
    run={async () => {
      await api.boxes.drain({ box: serving.name });
      const next = await findNext(serving);
      onDone();
      return next ? `${next.name} serves` : `${serving.name} was asked, and no other box serves yet`;
    }}
  >
    <p>
      It ends what is under way, within 30 seconds, and a box that stands by serves. Meanwhile mail is not taken: its
      senders try again. Nothing is lost, and {serving.name} then stands by.
    </p>
  </Ask>
);

export const Boxes = () => {
  const loaded = useLoaded((signal) => api.boxes.list({}, { signal }), 'boxes');
  useRefresh(loaded);
  const [isAsked, setAsked] = useState(false);
  const boxes = loaded.value?.boxes;
  if (!boxes) return null;
  const serving = boxes.find(({ state }) => state === 'serving');
  const mayHandOver = loaded.value?.may_drain && serving && boxes.length > 1;
  return (
    <section aria-labelledby="h-boxes">
      <div class="head">
        <h2 id="h-boxes">Boxes</h2>
        <p class="dim">
          {boxes.length > 1
            ? 'machines on one database: one serves, the others take over where it ends'
            : 'machines on one database: no other stands by, so mail stops where this one ends'}
        </p>
        {mayHandOver && (
          <div class="end">
            <Button isSmall onClick={() => setAsked(true)}>
              Hand over
            </Button>
          </div>
        )}
      </div>
      <Table heads={['Box', 'State', 'Version', 'From', '#Since']} of={boxes}>
        {({ name, state, since, version, address }) => (
          <tr key={`${name} ${since}`}>
            <td class="full mono">{name}</td>
            <td class="nowrap">
              <Badge mark={state === 'serving' ? 'ok' : 'wait'}>{state}</Badge>
            </td>
            <td class="mono">{version}</td>
            <td>{address === null ? 'the database’s machine' : <span class="mono">{address}</span>}</td>
            <td class="num dim">
              <Time at={since} as="day" />
            </td>
          </tr>
        )}
      </Table>
      {isAsked && serving && (
        <HandOver serving={serving} onClose={() => setAsked(false)} onDone={() => void loaded.reload()} />
      )}
    </section>
  );
};
