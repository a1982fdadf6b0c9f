/** What was decided, the latest first. */

import { Link } from 'wouter-preact';
import { type Answer, api } from '../api/client.ts';
import { Empty, Show, Table, Time } from '../components/blocks.tsx';
import { Badge, type MarkName } from '../components/marks.tsx';
import { Pager, usePaged } from '../components/pager.tsx';
import { failureWords } from './why-held.ts';

type Decided = Answer<'heldMail', 'decided'>['decided'][number];

const stateOf = ({ status, failure_reason }: Decided): readonly [MarkName, string] => {
  if (status === 'approved')
    return failure_reason ? ['bad', `refused: ${failureWords(failure_reason)}`] : ['ok', 'approved'];
  return status === 'expired' ? ['off', 'expired'] : ['off', 'rejected'];
};

const Row = ({ mail }: { mail: Decided }) => {
  const [mark, words] = stateOf(mail);
  return (
    <tr>
      <td class="full">
        <Link
          class="strong"
          href={
            mail.message_id && mail.agent
              ? `/agents/${mail.agent}/messages/${mail.message_id}`
              : `/approvals/${mail.pending_id}`
          }
        >
          {mail.subject || '(no subject)'}
        </Link>
        {mail.decision_note && <p class="dim small">“{mail.decision_note}”</p>}
      </td>
      <td class="full dim">
        {mail.agent ?? 'removed agent'} to {[...mail.to, ...mail.cc, ...mail.bcc].join(', ')}
      </td>
      <td>
        <Badge mark={mark}>{words}</Badge>
      </td>
      <td class="dim wide-only">{mail.decided_by?.replace(/^(owner|cli):/, '') ?? 'nobody'}</td>
      <td class="num dim">{mail.decided_at && <Time at={mail.decided_at} as="day" />}</td>
    </tr>
  );
};

export const DecidedMail = () => {
  const { page, pages } = usePaged('decided', (at, options) => api.heldMail.decided({ limit: 50, ...at }, options));
  return (
    <div class="page">
      <Show loaded={page} what="The decided mail" lines={8}>
        {({ decided, next_cursor }) => (
          <section aria-label="Decided mail">
            <Table
              heads={['Subject', 'Agent and recipients', 'Decision', 'By', '#When']}
              of={decided}
              empty={
                <Empty icon="approve" title="Nothing was decided yet">
                  What you approve and reject stands here, with what became of it.
                </Empty>
              }
            >
              {(mail) => <Row key={mail.pending_id} mail={mail} />}
            </Table>
            <Pager {...pages} next={next_cursor} />
          </section>
        )}
      </Show>
    </div>
  );
};
