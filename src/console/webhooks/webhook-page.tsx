/** One endpoint: whether it is enabled, its events, and its replies. */

import { useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { Callout, Empty, Fact, Section, Show, Time } from '../components/blocks.tsx';
import { ActFailure, Button, ButtonLink, Switch, useAct } from '../components/controls.tsx';
import { CopyValue } from '../components/copy.tsx';
import { ask } from '../components/dialog.tsx';
import { plural, shownUrl } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { stateOf, type Webhook } from './webhook.ts';
import { Deliveries, ResultCallout } from './webhook-deliveries.tsx';
import { SecretOnce, WebhookForm } from './webhook-form.tsx';
import { agentOf } from './webhooks.tsx';

/** Whether what happens meanwhile is delivered later: a person's pause wants none of it. */
const isHeldFor = ({ disabled_reason }: Webhook): boolean => disabled_reason !== null && disabled_reason !== 'paused';

const OffCallout = ({ webhook }: { webhook: Webhook }) =>
  isHeldFor(webhook) ? (
    <Callout tone="bad">
      <p>
        <b>
          {webhook.disabled_reason === 'gone'
            ? 'It answered 410 Gone, and is off.'
            : `It is off after ${plural(webhook.failure_count, 'failed delivery', 'failed deliveries')} in a row.`}
        </b>{' '}
        Events of the last seven days are held, and delivered once it is on again.
      </p>
    </Callout>
  ) : null;

const DeferredCallout = ({ until }: { until: string }) => (
  <Callout tone="warn">
    <p>
      <b>It asked to wait.</b> What happens meanwhile is sent to it from <Time at={until} as="seconds" /> on.
    </p>
  </Callout>
);

export const WebhookPage = () => {
  const { id = '' } = useParams<{ id: string }>();
  const [, go] = useLocation();
  const act = useAct();
  const [isEdited, setEdited] = useState(false);
  const [result, setResult] = useState<Answer<'webhooks', 'test'> | null>(null);
  const [rotated, setRotated] = useState<{ secret: string; until: string | undefined } | null>(null);
  const list = useRefreshed(api.webhooks.list, {});
  const again = async (): Promise<void> => {
    await Promise.all([list.reload(), loadOverview()]);
  };
  const webhook = list.value?.webhooks.find((each) => each.id === id);
  const turn = (active: boolean): void =>
    act.run(async () => {
      await api.webhooks.update({ id, active });
      await again();
      return active ? 'The endpoint is on' : 'The endpoint is paused';
    });
  const test = (): void => {
    setResult(null);
    act.run(async () => {
      setResult(await api.webhooks.test({ webhook_id: id }));
      await again();
    });
  };
  const askToRotate = (): void =>
    ask({
      title: 'Make a new signing secret?',
      verb: 'Make secret',
      isDanger: false,
      text: <p>The present one signs beside it for 24 hours: change your receiver before then.</p>,
      run: async () => {
        const { secret = '', previous_secret_valid_until: until } = await api.webhooks.update({
          id,
          rotate_secret: true,
        });
        setRotated({ secret, until });
      },
    });
  const askToRemove = ({ url }: Webhook): void =>
    ask({
      title: `Delete the webhook to ${shownUrl(url)}?`,
      verb: 'Delete webhook',
      text: <p>It is sent nothing any more; what waits for it, its secret and its deliveries are gone for good.</p>,
      run: async () => {
        await api.webhooks.remove({ id });
        await loadOverview();
        go('/webhooks');
        return 'The webhook is deleted';
      },
    });
  return (
    <>
      <TitleRow
        title={webhook ? new URL(webhook.url).host : 'Webhook'}
        context={webhook && <Badge mark={stateOf(webhook)[0]}>{stateOf(webhook)[1]}</Badge>}
      >
        {webhook && (
          <>
            <Button words="Edit" kind="quiet" onClick={() => setEdited(true)} />
            <Button words="Send a test" kind="primary" busy={act.isBusy && 'Testing…'} onClick={test} />
          </>
        )}
      </TitleRow>
      <div class="page">
        <Show loaded={list} what="The webhook" lines={8}>
          {() =>
            webhook ? (
              <>
                <ActFailure text={act.failure} />
                {result ? <ResultCallout result={result} /> : <OffCallout webhook={webhook} />}
                {webhook.active && webhook.deferred_until && <DeferredCallout until={webhook.deferred_until} />}
                <Section
                  title="Endpoint"
                  end={
                    <span class="acts-inline">
                      <Button words="Delete" isSmall kind="danger" onClick={() => askToRemove(webhook)} />
                      <Button words="New secret" isSmall onClick={askToRotate} />
                    </span>
                  }
                >
                  <div class="panel settings">
                    <Switch
                      label="On"
                      hint={
                        isHeldFor(webhook)
                          ? 'Events are held for seven days.'
                          : 'While it is off nothing is sent, and nothing is kept for later.'
                      }
                      checked={webhook.active}
                      isIdle={act.isBusy}
                      onChange={turn}
                    />
                    <dl class="facts">
                      <Fact name="URL">
                        <CopyValue value={webhook.url} of="URL" />
                      </Fact>
                      <Fact name="Events" class="mono">
                        {webhook.events.join(', ')}
                      </Fact>
                      <Fact name="Of">{agentOf(webhook)}</Fact>
                      <Fact name="Headers" class="mono">
                        {webhook.header_names.join(', ') || 'none of its own'}
                      </Fact>
                      <Fact name="Body">{webhook.template ? 'of its own' : 'the usual one'}</Fact>
                      <Fact name="Made by">{webhook.made_by ?? 'an owner'}</Fact>
                    </dl>
                  </div>
                </Section>
                <Deliveries key={id} id={id} />
              </>
            ) : (
              <Empty
                isFramed
                icon="hook"
                title="No such webhook"
                act={<ButtonLink href="/webhooks" words="All webhooks" />}
              />
            )
          }
        </Show>
      </div>
      {webhook && isEdited && <WebhookForm webhook={webhook} onClose={() => setEdited(false)} onDone={again} />}
      {webhook && rotated && <SecretOnce url={webhook.url} {...rotated} onClose={() => setRotated(null)} />}
    </>
  );
};
