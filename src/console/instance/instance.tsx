/** The instance: the doctor's last findings, its boxes, and the backups. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Callout, Empty, Section, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, Button, useAct } from '../components/controls.tsx';
import { CopyValue } from '../components/copy.tsx';
import { plainWords, plural, size } from '../components/format.ts';
import { Badge, type MarkName } from '../components/marks.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { useBackUp } from './back-up-now.tsx';
import { Boxes } from './boxes.tsx';

type Instance = NonNullable<Answer<'instance', 'get'>['instance']>;
type Visit = NonNullable<Instance['doctor']>;
type Finding = Visit['findings'][number];

const MARKS: Readonly<Record<Finding['status'], readonly [MarkName, string]>> = {
  fail: ['bad', 'fails'],
  warn: ['warn', 'look at it'],
  ok: ['ok', 'well'],
  skipped: ['off', 'not looked at'],
};
const ORDER = Object.keys(MARKS);

const Findings = ({ visit: { findings } }: { visit: Visit }) => (
  <Table
    class="findings"
    heads={['State', 'What', 'Found', 'What to do']}
    of={findings.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))}
  >
    {({ name, status, detail, fix }) => (
      <tr key={`${name} ${detail}`}>
        <td class="nowrap">
          <Badge mark={MARKS[status][0]}>{MARKS[status][1]}</Badge>
        </td>
        <td class="nowrap">{name.replaceAll('_', ' ')}</td>
        <td class="full">{detail}</td>
        <td class="full dim">{fix && <span class="mono">{fix}</span>}</td>
      </tr>
    )}
  </Table>
);

const summaryOf = ({ findings }: Visit): { mark: 'good' | 'warn' | 'bad'; words: string; more: string } => {
  const of = (status: Finding['status']): number => findings.filter((each) => each.status === status).length;
  const looked = `${plural(findings.length - of('skipped'), 'check')} made.`;
  if (of('fail') > 0)
    return {
      mark: 'bad',
      words: `${plural(of('fail'), 'check')} ${of('fail') === 1 ? 'fails' : 'fail'}.`,
      more: looked,
    };
  if (of('warn') > 0) return { mark: 'warn', words: `${plural(of('warn'), 'thing')} to look at.`, more: looked };
  return { mark: 'good', words: 'The installation is well.', more: looked };
};

const Doctor = ({ visit }: { visit: Visit | null }) => {
  if (!visit)
    return (
      <Empty isFramed icon="search" title="The doctor has not been yet">
        It comes each night at 4:23 by the machine’s clock, and looks at ports, DNS, TLS, block lists, disk, clock and
        queue. Press Examine now to have it come at once.
      </Empty>
    );
  const { mark, words, more } = summaryOf(visit);
  return (
    <>
      <Callout tone={mark}>
        <p>
          <b>{words}</b> {more} Examined <Time at={visit.at} as="day" />.
        </p>
      </Callout>
      <Findings visit={visit} />
    </>
  );
};

const Signup = ({ isOpen }: { isOpen: boolean }) => (
  <Section
    title="Signup"
    note={
      isOpen
        ? 'Open: agents make workspaces for themselves, which send once a person claims them.'
        : 'Closed: only the operator makes workspaces. [signup] open = true in the config opens it.'
    }
  />
);

const OperatorMail = ({ operator: { address, mail } }: { operator: NonNullable<Instance['operator']> }) => (
  <Section
    title="Mail to the operator"
    note={
      address === null
        ? 'to postmaster, abuse and hostmaster of this server; [operator] address in the config has it passed on'
        : `to postmaster, abuse and hostmaster of this server, passed on to ${address}`
    }
  >
    <Table
      heads={['From', 'Subject', '#Came']}
      of={mail}
      empty={
        <Empty icon="box" title="None has come yet">
          Complaints, and reports of other servers about this one, come here.
        </Empty>
      }
    >
      {({ id, from, doubtful, subject, snippet, at }) => (
        <tr key={id}>
          <td class="full">
            {from} {doubtful && <Badge mark="warn">doubtful</Badge>}
          </td>
          <td class="full">
            {subject} <span class="dim">{plainWords(snippet)}</span>
          </td>
          <td class="num dim">
            <Time at={at} as="day" />
          </td>
        </tr>
      )}
    </Table>
  </Section>
);

const WRITERS = { console: 'the console', command: 'postroom backup', nightly: 'the night’s timer' } as const;

const Backups = ({ backups }: { backups: NonNullable<Instance['backups']> }) => (
  <Table
    heads={['File', 'By', '#Size', '#Written']}
    of={backups}
    empty={
      <Empty icon="archive" title="No backup was written here yet">
        One file of all data, made while mail goes on. It does not hold the vault’s key: keep a copy of that elsewhere.
      </Empty>
    }
  >
    {({ file, octets, at, by }) => (
      <tr key={file}>
        <td class="full">
          <CopyValue value={file} of="path" />
        </td>
        <td>{WRITERS[by]}</td>
        <td class="num dim">{size(octets)}</td>
        <td class="num dim">
          <Time at={at} as="day" />
        </td>
      </tr>
    )}
  </Table>
);

export const InstancePage = () => {
  const loaded = useRefreshed(api.instance.get, {});
  const act = useAct();
  const [seen, setSeen] = useState<Visit | null>(null);
  const backUp = useBackUp(() => void loaded.reload());
  const instance = loaded.value?.instance ?? null;
  return (
    <>
      <TitleRow title="Instance">
        {instance?.backups && backUp.button}
        {instance && (
          <Button
            words="Examine now"
            kind="primary"
            busy={act.isBusy && 'Examining…'}
            onClick={() =>
              act.run(async () => {
                setSeen(await api.instance.examine({}));
                return 'Examined';
              })
            }
          />
        )}
      </TitleRow>
      <div class="page">
        <Show loaded={loaded} what="The instance" lines={10}>
          {() =>
            instance ? (
              <>
                <ActFailure text={act.failure} />
                {backUp.failure}
                <Section class="stack-3" title="Doctor">
                  <Doctor visit={seen ?? instance.doctor} />
                </Section>
                <Boxes />
                {instance.operator && <OperatorMail operator={instance.operator} />}
                <Signup isOpen={instance.signup_open} />
                <Section
                  title="Backups"
                  note={
                    instance.backups
                      ? 'on this machine, by whatever wrote them, the newest first'
                      : 'the data is in PostgreSQL: pg_dump or your provider backs it up; keep a copy of the vault’s key elsewhere'
                  }
                >
                  {instance.backups && <Backups backups={instance.backups} />}
                  {instance.backups && instance.backups.length > 0 && (
                    <p class="pager">
                      The vault’s key is not in them. Take both to another machine, apart from each other.
                    </p>
                  )}
                </Section>
              </>
            ) : (
              <Empty isFramed icon="gauge" title="The instance is looked after by its operator">
                This workspace signed up on it. Doctor and backups are shown to owners of workspaces that the operator
                made.
              </Empty>
            )
          }
        </Show>
      </div>
    </>
  );
};
