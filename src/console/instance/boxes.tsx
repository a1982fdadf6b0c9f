/** The boxes of an installation on a shared database, and the hand-over. Shows nothing where the data is one machine's. */

import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Section, Table, Time } from '../components/blocks.tsx';
import { Button } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { Badge } from '../components/marks.tsx';

type Box = NonNullable<Answer<'boxes', 'list'>['boxes']>[number];

/** The console may be away meanwhile; a box drains within 30 s. */
const LEADS_WITHIN_MS = 60_000;
const LOOK_MS = 1_000;
/** A box asks the database for something each few seconds. */
const SILENT_SECONDS = 10;

/** @returns the box that leads in the place of another; null where none did in time */
const findNext = async (before: Box): Promise<Box | null> => {
  for (const end = performance.now() + LEADS_WITHIN_MS; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { boxes } = await api.boxes.list({}).catch(() => ({ boxes: null }));
    const leading = boxes?.find(({ state }) => state === 'leading');
    if (leading && (leading.name !== before.name || leading.since !== before.since)) return leading;
  }
  return null;
};

const askToHandOver = (leading: Box, reload: () => Promise<void>): void =>
  ask({
    title: `Hand over from ${leading.name}?`,
    verb: 'Hand over',
    busy: 'Handing over…',
    isDanger: false,
    text: (
      <p>
        It ends what is under way, within 30 seconds, and another box leads. What comes to {leading.name} meanwhile has
        to try again, or the other box. Nothing is lost, and {leading.name} then serves beside the other.
      </p>
    ),
    run: async () => {
      await api.boxes.drain({ box: leading.name });
      const next = await findNext(leading);
      void reload();
      return next ? `${next.name} leads` : `${leading.name} was asked, and no other box leads yet`;
    },
  });

export const Boxes = () => {
  const loaded = useRefreshed(api.boxes.list, {});
  const boxes = loaded.value?.boxes;
  if (!boxes) return null;
  const leading = boxes.find(({ state }) => state === 'leading');
  const mayHandOver = loaded.value?.may_drain && leading && boxes.length > 1;
  return (
    <Section
      title="Boxes"
      note={
        boxes.length > 1
          ? 'machines on one database: all serve; one leads, and another leads where it ends'
          : 'machines on one database: there is no other, so mail stops where this one ends'
      }
      end={mayHandOver && <Button words="Hand over" isSmall onClick={() => askToHandOver(leading, loaded.reload)} />}
    >
      <Table heads={['Box', 'State', 'Version', 'From', '#Since']} of={boxes}>
        {({ name, state, since, silent_seconds: silent, version, address }) => (
          <tr key={`${name} ${since}`}>
            <td class="full mono">{name}</td>
            <td class="nowrap">
              <Badge mark={state === 'standing by' ? 'wait' : 'ok'}>{state}</Badge>
              {silent > SILENT_SECONDS && <Badge mark="bad">silent for {silent} s</Badge>}
            </td>
            <td class="mono">{version}</td>
            <td>{address === null ? 'the database’s machine' : <span class="mono">{address}</span>}</td>
            <td class="num dim">
              <Time at={since} as="day" />
            </td>
          </tr>
        )}
      </Table>
    </Section>
  );
};
