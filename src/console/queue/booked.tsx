/** Scheduled sends of all agents, the next first: to reschedule or cancel. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useAnswer, useReloadAfter } from '../api/loaded.ts';
import { Empty, Section, Show, Table, Time } from '../components/blocks.tsx';
import { ask, Dialog } from '../components/dialog.tsx';
import { dayAndTime } from '../components/format.ts';
import { MailText, Recipients } from '../components/mail-parts.tsx';
import { Pager, usePaged } from '../components/pager.tsx';
import { WhenDialog } from '../writing/when-dialog.tsx';
import { RowActs } from './row-acts.tsx';

type BookedMail = Answer<'booked', 'list'>['booked'][number];

const BookedText = ({ mail, onClose }: { mail: BookedMail; onClose: () => void }) => {
  const whole = useAnswer(api.booked.get, { scheduled_id: mail.scheduled_id });
  return (
    <Dialog title={mail.subject || '(no subject)'} onClose={onClose} class="large" close="Close">
      <Show loaded={whole} what="The mail" lines={6}>
        {({ to, cc, bcc, body, has_html, filenames }) => (
          <>
            <Recipients
              fields={[
                ['to', to],
                ['cc', cc],
                ['bcc', bcc],
                ['files', filenames],
              ]}
            />
            <MailText text={body} />
            {has_html && <p class="dim">It also has HTML of its own, which is not shown here.</p>}
          </>
        )}
      </Show>
    </Dialog>
  );
};

interface RowProps {
  mail: BookedMail;
  read: () => void;
  change: () => void;
  cancel: () => void;
}

const Row = ({ mail, read, change, cancel }: RowProps) => (
  <tr>
    <td class="full">
      <button type="button" class="link strong" onClick={read}>
        <bdi>{mail.subject || '(no subject)'}</bdi>
      </button>
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
  const [changed, setChanged] = useState<BookedMail | null>(null);
  const [read, setRead] = useState<BookedMail | null>(null);
  useReloadAfter(/^(message\.sent|scheduled|approval\.requested)/, list);
  const askToCancel = ({ scheduled_id, subject, to, agent }: BookedMail): void =>
    ask({
      title: `Cancel “${subject}”?`,
      no: 'Keep it',
      verb: 'Cancel mail',
      busy: 'Cancelling…',
      text: (
        <p>
          It does not go to {to.join(', ')}. {agent} is told.
        </p>
      ),
      run: async () => {
        await api.booked.cancel({ scheduled_id });
        await list.reload();
        return `“${subject}” is cancelled`;
      },
    });
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
                  read={() => setRead(mail)}
                  change={() => setChanged(mail)}
                  cancel={() => askToCancel(mail)}
                />
              )}
            </Table>
            <Pager {...pages} next={next_cursor} isSoonestFirst />
          </>
        )}
      </Show>
      {read && <BookedText mail={read} onClose={() => setRead(null)} />}
      {changed && (
        <WhenDialog
          title={`When does “${changed.subject}” go?`}
          verb="Change"
          onClose={() => setChanged(null)}
          at={changed.send_at}
          run={async (at) => {
            await api.booked.change({ scheduled_id: changed.scheduled_id, send_at: at });
            await list.reload();
            return `It goes ${dayAndTime(at)}`;
          }}
        />
      )}
    </Section>
  );
};
