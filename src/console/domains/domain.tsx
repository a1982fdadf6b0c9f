/** One domain: whether it sends, and its records with the last check's findings. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useAnswer, useReloadAfter } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { Callout, Empty, Fact, Section, Show, Table, Time } from '../components/blocks.tsx';
import { ActFailure, Button, ButtonLink, useAct } from '../components/controls.tsx';
import { CopyButton, CopyValue } from '../components/copy.tsx';
import { Segments } from '../components/inputs.tsx';
import { sayDone } from '../components/toast.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { RemoveSection } from '../frame/remove-section.tsx';
import { Checks } from './checks.tsx';
import { type Domain, problemOf, RecordRow, zoneLine } from './dns-record.tsx';
import { DomainState, wantsNoRecords } from './domains.tsx';

/** Seconds between automatic checks while the page is visible, and their number. */
const AGAIN_S = 60;
const MOST_CHECKS = 30;

/** Seconds until the next check; null: none. A hidden page waits. */
const useNextCheck = (isWanted: boolean, check: () => Promise<void>): number | null => {
  const [left, setLeft] = useState(AGAIN_S);
  const latest = useRef({ check, checks: 0 });
  latest.current.check = check;
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (document.hidden || latest.current.checks >= MOST_CHECKS) return;
      setLeft((before) => {
        if (before > 1) return before - 1;
        latest.current.checks += 1;
        void latest.current.check();
        return AGAIN_S;
      });
    }, 1_000);
    return () => clearInterval(timer);
  }, [isWanted]);
  return isWanted && latest.current.checks < MOST_CHECKS ? left : null;
};

interface StateProps {
  domain: Domain;
  recheck: () => Promise<void>;
}

/** One callout for a failure: the fault, the remedy, the records found so far, and the next check. */
const VerificationState = ({ domain, recheck }: StateProps) => {
  const isShown = domain.status !== 'verified' && domain.kind === 'custom';
  const left = useNextCheck(isShown, recheck);
  if (!isShown) return null;
  const isFailing = domain.status === 'failing';
  const problems = domain.records.flatMap((record) => (record.required ? (problemOf(record) ?? []) : []));
  const found = domain.records.filter(({ status }) => status === 'found').length;
  return (
    <Callout tone={isFailing ? 'bad' : 'warn'}>
      <p>
        <b>It cannot send{problems.length > 0 ? `: ${problems.join(', ')}.` : ' yet.'}</b>{' '}
        {isFailing ? 'It went wrong since it was verified.' : 'Publish the records below.'} {domain.hint}
      </p>
      <p class="dim">
        Put it right at your DNS host. {found} of {domain.records.length} are found
        {left === null
          ? '; check when it is done.'
          : `; this page asks again in ${left} s and tells you when it sends.`}
      </p>
    </Callout>
  );
};

/** Hints that several records share. */
const sharedHints = ({ records }: Domain): ReadonlySet<string> => {
  const hints = records.flatMap(({ hint }) => (hint === null ? [] : [hint]));
  return new Set(hints.filter((hint, at) => hints.indexOf(hint) !== at));
};

const FORMS = [
  [false, 'Records'],
  [true, 'Zone file'],
] as const;

const Records = ({ domain }: { domain: Domain }) => {
  const [isZone, setZone] = useState(false);
  const found = domain.records.filter(({ status }) => status === 'found').length;
  const zone = domain.records.map(zoneLine).join('\n');
  const shared = sharedHints(domain);
  return (
    <Section
      title="Records to publish"
      wideNote={`${found} of ${domain.records.length} found`}
      end={<Segments label="Form" value={isZone} options={FORMS} onChange={setZone} />}
    >
      {isZone ? (
        <div class="tw">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
          <pre class="val zone" tabIndex={0}>
            {zone}
          </pre>
          <p class="inset">
            <CopyButton value={zone} of="zone file" words="Copy" />
          </p>
        </div>
      ) : (
        <Table
          class="records"
          heads={['Status', 'For', 'Type', 'Name', 'Value']}
          of={domain.records}
          before={[...shared].map((hint) => (
            <p key={hint} class="dim small inset-all">
              {hint}
            </p>
          ))}
        >
          {(record) => (
            <RecordRow key={`${record.type} ${record.name} ${record.value}`} record={record} shared={shared} />
          )}
        </Table>
      )}
    </Section>
  );
};

/** Whether the instance's own zone contains the domain: its DNS server refuses other names. */
const isServed = ({ domain }: Pick<Domain, 'domain'>): boolean => {
  const zone = session.value?.served_zone ?? null;
  return zone !== null && (domain === zone || domain.endsWith(`.${zone}`));
};

const Delegation = () => (
  <Section title="Or publish one record">
    <div class="panel stack-3">
      <p class="dim">
        Hand the zone to Postroom in the zone above it, once for all workspaces: it then answers for all of these
        records, key changes included. Take the other records away first.
      </p>
      <dl class="facts">
        <Fact name="Name">
          <CopyValue value={session.value?.served_zone ?? ''} of="name" />
        </Fact>
        <Fact name="Type" class="mono">
          NS
        </Fact>
        <Fact name="Value">
          <CopyValue value={session.value?.hostname ?? ''} of="value" />
        </Fact>
      </dl>
    </div>
  </Section>
);

/** A domain that others reach: whether it sends, its records and its checks. */
const Published = ({ domain, recheck }: StateProps) => (
  <>
    <VerificationState domain={domain} recheck={recheck} />
    <dl class="strip">
      <div>
        <Fact name="Sends">
          {domain.can_send ? (domain.receives ? 'yes' : 'yes; its mail is received by another server') : 'no'}
        </Fact>
      </div>
      <div>
        <Fact name="DKIM">{domain.dkim_status}</Fact>
      </div>
      <div>
        <Fact name="Verified">{domain.verified_at ? <Time at={domain.verified_at} as="day" /> : 'not yet'}</Fact>
      </div>
      <div>
        <Fact name="Checked">{domain.last_checked_at ? <Time at={domain.last_checked_at} as="day" /> : 'not yet'}</Fact>
      </div>
    </dl>
    <Records domain={domain} />
    <div class={isServed(domain) ? 'half' : undefined}>
      {isServed(domain) && <Delegation />}
      <Checks domain={domain} />
    </div>
  </>
);

export const DomainPage = () => {
  const { domain: name = '' } = useParams<{ domain: string }>();
  const [, go] = useLocation();
  const act = useAct();
  const list = useAnswer(api.domains.list, {});
  useReloadAfter(/^domain\.verified$/, list);
  const domain = list.value?.domains.find((each) => each.domain === name);
  /** An automatic check: the next click shows a refusal. */
  const recheck = async (): Promise<void> => {
    const checked = await api.domains.verify({ domain: name }).catch(() => null);
    if (!checked) return;
    await Promise.all([list.reload(), loadOverview()]);
    if (checked.status === 'verified') sayDone(`${name} sends`);
  };
  const check = (): void =>
    act.run(async () => {
      const checked = await api.domains.verify({ domain: name });
      await Promise.all([list.reload(), loadOverview()]);
      return checked.status === 'verified'
        ? `${name} is verified`
        : `${name} was checked; records are still to be put right`;
    });
  return (
    <>
      <TitleRow
        title={name}
        of={{ href: '/domains', words: 'Domains' }}
        context={domain && <DomainState domain={domain} />}
      >
        {domain && !wantsNoRecords(domain) && (
          <Button words="Check now" kind="primary" icon="refresh" busy={act.isBusy && 'Checking…'} onClick={check} />
        )}
      </TitleRow>
      <div class="page">
        <Show loaded={list} what="The domain" lines={10}>
          {() =>
            domain ? (
              <>
                <ActFailure text={act.failure} />
                {wantsNoRecords(domain) ? (
                  <Empty isFramed icon="globe" title="Nothing to publish">
                    Mail stays on this machine, so its domains need no records.
                  </Empty>
                ) : (
                  <Published domain={domain} recheck={recheck} />
                )}
                {domain.kind === 'custom' && (
                  <RemoveSection
                    kind="domain"
                    hint="It takes and sends no mail here any more; it can be added again."
                    title={`Remove ${name}?`}
                    verb="Remove domain"
                    run={async () => {
                      await api.domains.remove({ domain: name });
                      await loadOverview();
                      go('/domains');
                      return `${name} is removed`;
                    }}
                    text={
                      <p>
                        It takes and sends no mail here any more. Agents on it have to be removed first. It can be added
                        again, with new records.
                      </p>
                    }
                  />
                )}
              </>
            ) : (
              <Empty icon="globe" title="No such domain" act={<ButtonLink href="/domains" words="All domains" />}>
                This workspace does not have {name}.
              </Empty>
            )
          }
        </Show>
      </div>
    </>
  );
};
