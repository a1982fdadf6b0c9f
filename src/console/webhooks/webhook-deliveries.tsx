/** Attempts at an endpoint, with its replies; each can be redelivered. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useLive } from '../api/loaded.ts';
import { Callout, Empty, Section, Show, Table } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { dayAndTime, timeWithSeconds } from '../components/format.ts';
import { Badge } from '../components/marks.tsx';
import { Pager, usePaged } from '../components/pager.tsx';

type Attempt = Answer<'webhooks', 'deliveries'>['deliveries'][number];
type Result = Answer<'webhooks', 'test'>;

const PAGE = 25;

const isTaken = ({ status_code: status }: Pick<Attempt, 'status_code'>): boolean =>
  status !== null && status >= 200 && status < 300;

const answerOf = ({ status_code, error }: Pick<Attempt, 'status_code' | 'error'>): string =>
  status_code === null ? (error ?? 'no answer') : String(status_code);

/** The result of a test or a redelivery. */
export const ResultCallout = ({ result }: { result: Result }) => (
  <Callout tone={result.delivered ? 'good' : 'bad'} role="status">
    <p>
      <b>{result.delivered ? 'It was taken.' : 'It was not taken.'}</b> <span class="mono">{answerOf(result)}</span>{' '}
      after {result.duration_ms} ms
    </p>
    {result.response_body && <p class="mono written answer">{result.response_body}</p>}
  </Callout>
);

const Row = ({ attempt, isBusy, replay }: { attempt: Attempt; isBusy: boolean; replay: () => void }) => (
  <tr>
    <td class="nowrap dim">
      <time dateTime={attempt.at} title={dayAndTime(attempt.at)}>
        {dayAndTime(attempt.at).replace(/ \d\d:\d\d$/, '')} {timeWithSeconds(attempt.at)}
      </time>
    </td>
    <td>
      <Badge mark={isTaken(attempt) ? 'ok' : 'warn'}>{attempt.status_code ?? 'no answer'}</Badge>
    </td>
    <td class="full">
      <span class="mono">{attempt.event}</span>
      {(attempt.response_body ?? attempt.error) && (
        <p class="mono faint answer">{attempt.response_body ?? attempt.error}</p>
      )}
    </td>
    <td class="num dim wide-only">{attempt.attempt}</td>
    <td class="num dim wide-only">{attempt.duration_ms} ms</td>
    <td class="num full">
      <Button words="Replay" isSmall disabled={isBusy} onClick={replay} />
    </td>
  </tr>
);

export const Deliveries = ({ id }: { id: string }) => {
  const [result, setResult] = useState<Result | null>(null);
  const act = useAct();
  const { page, pages, isFirst } = usePaged(`deliveries ${id}`, ({ cursor: before }, options) =>
    api.webhooks.deliveries({ webhook_id: id, limit: PAGE, ...(before !== undefined && { before }) }, options),
  );
  useLive(
    () => isFirst,
    () => void page.reload(),
  );
  const replay = (attempt: Attempt): void =>
    act.run(async () => {
      const answer = await api.webhooks.replay({ delivery_id: attempt.delivery_id });
      setResult(answer);
      return answer.delivered ? 'The delivery was sent again' : null;
    });
  return (
    <Section title="Deliveries" note="of the last 30 days">
      <ActFailure text={act.failure} />
      {result && <ResultCallout result={result} />}
      <Show loaded={page} what="The deliveries" shape="table" lines={8}>
        {({ deliveries }) => (
          <>
            <Table
              heads={['When', 'Answer', 'Event', '#Attempt', '#Took', '']}
              of={deliveries}
              isDense
              empty={
                <Empty icon="hook" title="Nothing was delivered yet">
                  Each attempt stands here with what the endpoint answered. A test is not listed.
                </Empty>
              }
            >
              {(attempt) => (
                <Row key={attempt.at} attempt={attempt} isBusy={act.isBusy} replay={() => replay(attempt)} />
              )}
            </Table>
            <Pager {...pages} next={deliveries.length === PAGE ? (deliveries.at(-1)?.at ?? null) : null} />
          </>
        )}
      </Show>
    </Section>
  );
};
