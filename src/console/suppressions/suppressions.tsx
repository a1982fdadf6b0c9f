/** Addresses that the workspace's mail no longer goes to. */

import { useState } from 'preact/hooks';
import { type Answer, api, type CallOptions } from '../api/client.ts';
import { useLive } from '../api/loaded.ts';
import { Empty, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, AddButton, Button, useAct } from '../components/controls.tsx';
import { ask, FormDialog } from '../components/dialog.tsx';
import { Find, TextField, useFind, useTexts } from '../components/inputs.tsx';
import { Badge, type MarkName } from '../components/marks.tsx';
import { Pager, usePaged } from '../components/pager.tsx';
import { sayDone } from '../components/toast.tsx';
import { TitleRow } from '../frame/bar.tsx';

type Suppression = Answer<'suppressions', 'list'>['suppressions'][number];

const PAGE = 50;

const REASONS: Readonly<Record<Suppression['reason'], readonly [MarkName, string]>> = {
  bounce: ['warn', 'bounced'],
  complaint: ['bad', 'complained'],
  manual: ['off', 'by hand'],
};

/** A page of all, or the addresses with the typed beginning. */
const load = async (beginning: string, at: { cursor?: string }, options: CallOptions) => {
  if (beginning !== '') {
    const { suppressions, has_more } = await api.suppressions.find({ limit: PAGE, beginning }, options);
    return { suppressions, has_more, next_cursor: null };
  }
  return { ...(await api.suppressions.list({ limit: PAGE, ...at }, options)), has_more: false };
};

const NewSuppression = ({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) => {
  const [{ address }, field] = useTexts({ address: '' });
  return (
    <FormDialog
      title="Suppress an address"
      onClose={onClose}
      verb="Suppress"
      isDisabled={address.trim() === ''}
      run={async () => {
        const { address: added } = await api.suppressions.add({ address: address.trim() });
        await onDone();
        return `No mail goes to ${added} any more`;
      }}
    >
      <TextField
        label="Address"
        type="email"
        isMono
        isRequired
        maxLength={320}
        placeholder="j.moe@fjellbygg.example"
        hint="Every agent’s mail to it is refused, until you remove it."
        {...field('address')}
        name={(field) => /^(address|email)$/.test(field)}
      />
    </FormDialog>
  );
};

export const Suppressions = () => {
  const { q: beginning, find } = useFind();
  const {
    page: list,
    pages,
    isFirst,
  } = usePaged(`suppressions ${beginning}`, (at, options) => load(beginning, at, options));
  const act = useAct();
  const [isNew, setNew] = useState(false);
  useLive(
    (event) => isFirst && (event === null || /bounced|complained/.test(event.event)),
    () => void list.reload(),
  );
  const removeByHand = (row: Suppression): void =>
    act.run(async () => {
      await api.suppressions.remove({ address: row.address });
      await list.reload();
      sayDone(`Mail may go to ${row.address} again`, async () => {
        await api.suppressions.add({ address: row.address });
        await list.reload();
        return `No mail goes to ${row.address} any more`;
      });
    });
  const askToRemove = ({ address, reason }: Suppression): void =>
    ask({
      title: `Let mail go to ${address} again?`,
      verb: 'Remove suppression',
      text: (
        <p>
          {reason === 'complaint'
            ? 'Its reader complained about your mail. Another complaint counts against the workspace, which is stopped at 0.3 %.'
            : 'It bounced. Where it bounces again, that counts against the workspace, which is stopped at 10 %.'}
        </p>
      ),
      run: async () => {
        await api.suppressions.remove({ address });
        await list.reload();
        return `Mail may go to ${address} again`;
      },
    });
  return (
    <>
      <TitleRow title="Suppressions">
        <AddButton words="Suppress" onClick={() => setNew(true)} />
      </TitleRow>
      <div class="page">
        <section aria-label="Suppressed addresses">
          <div class="tools">
            <Find label="Find an address" placeholder="How the address begins" {...find} maxLength={320} />
          </div>
          <ActFailure text={act.failure} />
          <Show loaded={list} what="The suppressions" shape="table" lines={8}>
            {({ suppressions, next_cursor, has_more }) => (
              <>
                <Table
                  heads={['Address', 'Why', 'Until', '#Since', '']}
                  of={suppressions}
                  empty={
                    <Empty
                      icon={beginning === '' ? 'stop' : 'check'}
                      title={
                        beginning === ''
                          ? 'No address is suppressed'
                          : `No suppressed address begins with “${beginning}”`
                      }
                    >
                      {beginning === ''
                        ? 'An address that bounces for good, or whose reader complains, comes here by itself.'
                        : 'Mail goes to such addresses.'}
                    </Empty>
                  }
                >
                  {(row) => (
                    <tr key={row.address}>
                      <td class="mono full">{row.address}</td>
                      <td>
                        <Badge mark={REASONS[row.reason][0]}>{REASONS[row.reason][1]}</Badge>
                        {row.bounce_type && <span class="dim small"> {row.bounce_type}</span>}
                      </td>
                      <td class="dim">{row.until ? <Time at={row.until} as="day" /> : 'for good'}</td>
                      <td class="num dim wide-only">
                        <Time at={row.created_at} />
                      </td>
                      <td class="num full">
                        <Button
                          words="Remove"
                          isSmall
                          kind="danger"
                          onClick={() => (row.reason === 'manual' ? removeByHand(row) : askToRemove(row))}
                        />
                      </td>
                    </tr>
                  )}
                </Table>
                {has_more && <p class="pager">The first {PAGE} are shown; more of the address narrows them down.</p>}
                <Pager {...pages} next={next_cursor} />
              </>
            )}
          </Show>
        </section>
      </div>
      {isNew && <NewSuppression onClose={() => setNew(false)} onDone={list.reload} />}
    </>
  );
};
