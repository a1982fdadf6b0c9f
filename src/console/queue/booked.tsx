/** Scheduled sends of all agents, the next first: to reschedule or cancel. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useReloadAfter } from '../api/live.ts';
import { Section } from '../components/blocks.tsx';
import { Ask } from '../components/dialog.tsx';
import { dayAndTime } from '../components/format.ts';
import { Pager, usePaged } from '../components/pager.tsx';
import { Empty, Show } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { WhenDialog } from '../writing/when-dialog.tsx';
import { RowActs } from './row-acts.tsx';

type BookedMail = Answer<'booked', 'list'>['booked'][number];

interface RowProps {
  mail: BookedMail;
  change: () => void;
  cancel: () => void;
}

const Row = ({ mail, change, cancel }: RowProps) => (
  <tr>
    <td class="full">
      <b class="strong">
        <bdi>{mail.subject || '(no subject)'}</bdi>
      </b>
      <p class="dim small">
        to <bdi>{mail.to.join(', ')}</bdi>
        <span class="phone">, {mail.agent}</span>
      </p>
    </td>
    <td class="dim wide-only">{mail.agent}</td>
    <td>
      <Time at={mail.send_at} as="day" />
    </td>
    <td class="dim wide-only">{mail.sent_by?.replace(/@.*/, '') ?? 'agent'}</td>
    <td class="num full">
      <RowActs verb="Change" run={change} cancel={cancel} />
    </td>
  </tr>
);

export const Booked = () => {
  const { page: list, pages } = usePaged('booked', api.booked.list);
  const [asked, setAsked] = useState<{ mail: BookedMail; what: 'change' | 'cancel' } | null>(null);
  useReloadAfter(/^(message\.sent|scheduled|approval\.requested)/, list);
  const close = (): void => setAsked(null);
  return (
    <Section title="Booked" note="the next first">
      <Show loaded={list} what="Booked mail" lines={3}>
        {({ booked, next_cursor }) => (
          <>
            <Table
              heads={['Mail', 'Agent', 'Goes', 'By', '']}
              of={booked}
              empty={
                <Empty icon="mail" title="Nothing is booked">
                  Mail that is to go at a time stands here until then. The checks of sending apply when it goes.
                </Empty>
              }
            >
              {(mail) => (
                <Row
                  key={mail.scheduled_id}
                  mail={mail}
                  change={() => setAsked({ mail, what: 'change' })}
                  cancel={() => setAsked({ mail, what: 'cancel' })}
                />
              )}
            </Table>
            <Pager {...pages} next={next_cursor} isSoonestFirst />
          </>
        )}
      </Show>
      {asked?.what === 'change' && (
        <WhenDialog
          title={`When does “${asked.mail.subject}” go?`}
          verb="Change"
          onClose={close}
          at={asked.mail.send_at}
          run={async (at) => {
            await api.booked.change({ scheduled_id: asked.mail.scheduled_id, send_at: at });
            await list.reload();
            return `It goes ${dayAndTime(at)}`;
          }}
        />
      )}
      {asked?.what === 'cancel' && (
        <Ask
          title={`Cancel “${asked.mail.subject}”?`}
          no="Keep it"
          verb="Cancel mail"
          busy="Cancelling…"
          onClose={close}
          run={async () => {
            await api.booked.cancel({ scheduled_id: asked.mail.scheduled_id });
            await list.reload();
            return `“${asked.mail.subject}” is cancelled`;
          }}
        >
          <p>
            It does not go to {asked.mail.to.join(', ')}. {asked.mail.agent} is told.
          </p>
        </Ask>
      )}
    </Section>
  );
};
