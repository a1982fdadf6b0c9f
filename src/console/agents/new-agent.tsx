/** Makes an agent, and shows its key once. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { loadOverview } from '../api/overview.ts';
import { ButtonLink } from '../components/controls.tsx';
import { ShownOnce } from '../components/copy.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Check, SelectField, TextField, useTexts } from '../components/inputs.tsx';

export type Made = Answer<'agents', 'add'>;

const Done = ({ made, onClose }: { made: Made; onClose: () => void }) => (
  <ShownOnce
    title={`${made.handle} is made`}
    value={made.api_key}
    of="API key"
    onClose={onClose}
    beneath={
      <p class="dim small">
        How to use it stands in <a href="/skill.md">{`${location.origin}/skill.md`}</a>, which is written for the
        program to read. A client of MCP connects to <span class="mono">{`${location.origin}/mcp?tools=core`}</span>{' '}
        with it.
      </p>
    }
    acts={<ButtonLink href={`/agents/${made.handle}/settings`} words="Its settings" />}
  >
    <p>
      Its address is <span class="mono">{made.address}</span>. This key is its own; give it to the program that is the
      agent.
    </p>
  </ShownOnce>
);

interface NewAgentProps {
  onClose: () => void;
  /** Set where the key is shown outside of this dialog. */
  onMade?: (made: Made) => void;
}

export const NewAgent = ({ onClose, onMade }: NewAgentProps) => {
  const [made, setMade] = useState<Made | null>(null);
  const [{ handle, display_name: name, domain: chosen }, field] = useTexts({
    handle: '',
    display_name: '',
    domain: '',
  });
  const [hold, setHold] = useState(true);
  const domains = useAnswer(api.domains.list, {});
  if (made) return <Done made={made} onClose={onClose} />;
  const usable = (domains.value?.domains ?? []).filter(({ can_send }) => can_send);
  // An address stays on its domain: one of the owner's own, which sends and receives, comes first.
  const own = usable.find(({ kind, receives }) => kind === 'custom' && receives) ?? usable[0];
  const domain = chosen === '' ? (own?.domain ?? '') : chosen;
  return (
    <FormDialog
      title="New agent"
      onClose={onClose}
      keepOpen
      verb="Make agent"
      isDisabled={handle.trim() === ''}
      run={async () => {
        const answer = await api.agents.add({
          handle: handle.trim(),
          hold,
          display_name: name.trim() === '' ? null : name.trim(),
          ...(domain !== '' && { domain }),
        });
        await loadOverview();
        if (onMade) onMade(answer);
        else setMade(answer);
      }}
    >
      <TextField
        label="Handle"
        isRequired
        isMono
        placeholder="billing"
        hint="3 to 63 lower-case letters, digits and hyphens. It stands before the @."
        {...field('handle')}
      />
      <TextField
        label="Name"
        maxLength={200}
        placeholder="Billing, Halden Supply"
        hint="Recipients see it beside the address. It may be left out."
        {...field('display_name')}
      />
      {usable.length > 1 && (
        <SelectField
          label="Domain"
          {...field('domain')}
          value={domain}
          options={usable.map((each) => [each.domain, each.domain] as const)}
        />
      )}
      <Check id="new-hold" label="Hold its mail for my decision at first" checked={hold} onChange={setHold} />
    </FormDialog>
  );
};
