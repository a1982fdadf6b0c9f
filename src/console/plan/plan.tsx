/** The plan's limits, and how much of them is used. */

import { api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Callout, Fact, Section, Show } from '../components/blocks.tsx';
import { count, money, size } from '../components/format.ts';
import { TitleRow } from '../frame/bar.tsx';
import { Meters, type Plan, Quota } from '../home/quota.tsx';

const NAMES: Readonly<Record<Plan['parts'][number]['part'], string>> = {
  mailboxes: 'Mailboxes',
  custom_domains: 'Domains of your own',
  webhook_endpoints: 'Webhooks',
  knowledge_pages: 'Pages of knowledge',
  mail_bytes: 'Mail kept',
};

const amountOf = ({ part }: Plan['parts'][number], value: number): string =>
  part === 'mail_bytes' ? size(value) : count(value);

const wordsOf = (part: Plan['parts'][number]): string => {
  const { included, extra_usd } = part;
  if (included === null) return 'no limit';
  return extra_usd === null
    ? `of ${amountOf(part, included)}`
    : `of ${count(included)}, then ${money(extra_usd)} USD a month each`;
};

export const PlanPage = () => {
  const loaded = useRefreshed(api.plan.get, {});
  return (
    <>
      <TitleRow title="Plan and usage" />
      <div class="page narrow">
        <Show loaded={loaded} what="The plan" lines={8}>
          {(plan) => (
            <>
              {plan.tier === 'probation' && (
                <Callout>
                  <p>
                    <b>The workspace is on probation.</b> It ends once its owner’s address is verified and no mail has
                    bounced for 7 days. Until then few cold mails go out, and no domain can be added.
                  </p>
                </Callout>
              )}
              <Quota plan={plan} />
              <Section title="What is counted">
                <Meters
                  of={plan.parts.map((part) => ({
                    name: NAMES[part.part],
                    used: part.used,
                    shown: amountOf(part, part.used),
                    of: part.included,
                    words: wordsOf(part),
                  }))}
                />
              </Section>
              <Section title="How it counts">
                <dl class="facts panel">
                  <Fact name="A send">One mail, whoever it goes to. A reply counts as a tenth.</Fact>
                  {plan.usage.sends_per_month !== null && (
                    <Fact name="Over the month">
                      {plan.overage_usd === null
                        ? 'Sends are refused until the month turns.'
                        : `${plan.overage_usd} USD for each send, up to the cap; then sends are refused.`}
                    </Fact>
                  )}
                  {plan.parts.some(({ part }) => part === 'mail_bytes') && (
                    <Fact name="Mail kept">
                      In and out, of all mailboxes, compressed as it is stored. At the limit no more comes in; deleted
                      mail makes room from the next night on.
                    </Fact>
                  )}
                  <Fact name="A day, a month">Turn at midnight UTC.</Fact>
                  <Fact name="Another plan">
                    The operator of this instance sets it: <span class="mono">postroom workspaces plan</span>
                  </Fact>
                </dl>
              </Section>
            </>
          )}
        </Show>
      </div>
    </>
  );
};
