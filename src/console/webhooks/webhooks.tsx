/** The workspace's webhook endpoints. */

import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { loadOverview, overview } from '../api/overview.ts';
import { Empty, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, AddButton, Button, useAct } from '../components/controls.tsx';
import { plural, shownUrl } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { stateOf, type Webhook } from './webhook.ts';
import { WebhookForm } from './webhook-form.tsx';

export const agentOf = ({ mailbox_id }: Pick<Webhook, 'mailbox_id'>): string =>
  mailbox_id === null
    ? 'every agent'
    : (overview.value?.agents.find((agent) => agent.mailbox_id === mailbox_id)?.handle ?? 'a removed agent');

const eventWords = ({ events }: Webhook): string =>
  events.length === 1 ? (events[0] ?? '') : plural(events.length, 'event');

export const Webhooks = () => {
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const list = useRefreshed(api.webhooks.list, {});
  const act = useAct();
  const rows = list.value?.webhooks ?? [];
  const pause = ({ id }: Webhook): void =>
    act.run(async () => {
      await api.webhooks.update({ id, active: false });
      await Promise.all([list.reload(), loadOverview()]);
      return 'The endpoint is paused';
    });
  const newButton = <AddButton words="New webhook" onClick={() => setNew(true)} />;
  return (
    <>
      <TitleRow title="Webhooks" context={list.value && <span class="dim">{plural(rows.length, 'endpoint')}</span>}>
        {rows.length > 0 && newButton}
      </TitleRow>
      <div class="page">
        <ActFailure text={act.failure} />
        <Show loaded={list} what="The webhooks" shape="table" lines={6}>
          {() => (
            <Table
              heads={['Endpoint', 'State', 'Events', 'Of', 'Made by', '#Since', '']}
              of={rows}
              empty={
                <Empty icon="hook" title="No webhooks yet" act={newButton}>
                  A program of yours is told of mail, bounces and decisions as they happen, by a signed request.
                </Empty>
              }
            >
              {(webhook) => {
                const [mark, words] = stateOf(webhook);
                return (
                  <tr key={webhook.id}>
                    <td class="full">
                      <Link class="mono" href={`/webhooks/${webhook.id}`}>
                        {shownUrl(webhook.url)}
                      </Link>
                    </td>
                    <td>
                      <Badge mark={mark}>{words}</Badge>
                    </td>
                    <td class="dim">{eventWords(webhook)}</td>
                    <td class={webhook.hears_more ? 'wide-only' : 'dim wide-only'}>
                      {agentOf(webhook)} {webhook.hears_more && <Badge mark="warn">others’ mail too</Badge>}
                    </td>
                    <td class="dim wide-only">{webhook.made_by ?? 'an owner'}</td>
                    <td class="num dim wide-only">
                      <Time at={webhook.created_at} />
                    </td>
                    <td class="num full">
                      {webhook.active && (
                        <Button
                          words="Pause"
                          isSmall
                          disabled={act.isBusy}
                          label={`Pause ${shownUrl(webhook.url)}`}
                          onClick={() => pause(webhook)}
                        />
                      )}
                    </td>
                  </tr>
                );
              }}
            </Table>
          )}
        </Show>
      </div>
      {isNew && (
        <WebhookForm
          webhook={null}
          onClose={() => setNew(false)}
          onDone={async (id) => {
            await Promise.all([list.reload(), loadOverview()]);
            go(`/webhooks/${id}`);
          }}
        />
      )}
    </>
  );
};
