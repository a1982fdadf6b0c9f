/** The senders that an agent accepts: all but the blocked ones, or only the allowed ones. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { Empty, Section, Show, Table } from '../components/blocks.tsx';
import { ActFailure, Button, Select, useAct } from '../components/controls.tsx';
import { Form, FormFailure, useRefusal } from '../components/form.tsx';
import { Badge } from '../components/marks.tsx';
import { sayDone } from '../components/toast.tsx';

type Rule = Answer<'rules', 'list'>['rules'][number];
type Mode = Answer<'agents', 'get'>['filter_mode'];

const MODES = [
  ['blacklist', 'All mail, but what is blocked'],
  ['whitelist', 'Only senders that are allowed or known'],
] as const;

const Row = ({ rule, remove }: { rule: Rule; remove: () => void }) => (
  <tr>
    <td class="full mono">{rule.value}</td>
    <td class="dim">{rule.match === 'domain' ? 'the domain and what is below it' : 'this address'}</td>
    <td>{rule.action === 'allow' ? <Badge mark="ok">taken</Badge> : <Badge mark="off">dropped</Badge>}</td>
    <td class="num">
      <Button words="Remove" kind="quiet" isSmall onClick={remove} />
    </td>
  </tr>
);

const Sender = ({ value, onInput }: { value: string; onInput: (value: string) => void }) => {
  const { attributes, refusal } = useRefusal('value', 'rule');
  return (
    <span class="grow">
      <input
        class="input"
        aria-label="Address or domain"
        {...attributes}
        placeholder="a@example.com or example.com"
        autocapitalize="none"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {refusal}
    </span>
  );
};

export const AgentRules = ({
  agent: { handle: agent, filter_mode },
  reload,
}: {
  agent: { handle: string; filter_mode: Mode };
  reload: () => void;
}) => {
  const rules = useRefreshed(api.rules.list, { agent });
  const act = useAct();
  const added = useAct();
  const [value, setValue] = useState('');
  const [action, setAction] = useState<'allow' | 'block'>('block');
  const add = ({ match, value: of, action: does }: Omit<Rule, 'id'>) =>
    api.rules.add({ agent, match, value: of, action: does });
  const remove = (rule: Rule): void =>
    act.run(async () => {
      await api.rules.remove({ agent, rule_id: rule.id });
      await rules.reload();
      sayDone(`The rule for ${rule.value} is removed`, async () => {
        await add(rule);
        await rules.reload();
      });
    });
  return (
    <Section title="Whose mail it takes">
      <div class="tools">
        <Select
          label="Filter mode"
          value={filter_mode}
          options={MODES}
          onChange={(mode) =>
            act.run(async () => {
              await api.rules.setMode({ agent, filter_mode: mode as Mode });
              reload();
              return mode === 'whitelist'
                ? 'Only known and allowed senders are taken'
                : 'All mail is taken, but what is blocked';
            })
          }
        />
      </div>
      <Form
        class="tools"
        act={added}
        run={() => {
          const text = value.trim();
          added.run(async () => {
            await add({
              match: text.includes('@') && !text.startsWith('@') ? 'exact_email' : 'domain',
              value: text,
              action,
            });
            setValue('');
            await rules.reload();
            return action === 'block' ? `Mail of ${text} is dropped` : `Mail of ${text} is taken`;
          });
        }}
      >
        <Select
          label="What the rule does"
          value={action}
          options={[
            ['block', 'Block'],
            ['allow', 'Allow'],
          ]}
          onChange={(wanted) => setAction(wanted as typeof action)}
        />
        <Sender value={value} onInput={setValue} />
        <Button words="Add rule" type="submit" busy={added.isBusy && 'Adding…'} disabled={value.trim() === ''} />
        <FormFailure />
      </Form>
      <ActFailure text={act.failure} />
      <Show loaded={rules} what="The rules">
        {({ rules: rows }) => (
          <Table
            heads={['Sender', 'Matches', 'Its mail is', '']}
            of={rows}
            empty={
              <Empty icon="stop" title="No rules">
                A rule names an address or a domain. Blocked mail is dropped without a word to its sender.
              </Empty>
            }
          >
            {(rule) => <Row key={rule.id} rule={rule} remove={() => remove(rule)} />}
          </Table>
        )}
      </Show>
    </Section>
  );
};
