/** Makes an endpoint, and shows its signing secret once, or changes one. */

import { useState } from 'preact/hooks';
import type { SentEventName } from '../../kernel/events.ts';
import { api } from '../api/client.ts';
import { useEdit } from '../api/edit.ts';
import { Failure } from '../api/failure.ts';
import { overview } from '../api/overview.ts';
import { ShownOnce } from '../components/copy.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Check, SelectField, TextField, useTexts } from '../components/inputs.tsx';
import { EVENTS, type Webhook } from './webhook.ts';

const refuse = (field: string, hint: string): never => {
  throw new Failure(0, 'invalid_request', hint, { field });
};

/** `name: value`, one a line. */
const readHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        if (colon < 1) refuse('headers', `“${line.trim()}” is no header. Write it as name: value.`);
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );

const readTemplate = (text: string): Record<string, unknown> | null => {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return refuse('template', 'The body is not JSON.');
  }
};

export const SecretOnce = ({ url, secret, until, onClose }: SecretOnceProps) => (
  <ShownOnce title="The signing secret" value={secret} of="signing secret" onClose={onClose}>
    <p>
      Requests to <span class="mono">{url}</span> are signed with it; check the signature before you believe one.
    </p>
    {until && <p>The earlier secret signs beside it for 24 hours.</p>}
  </ShownOnce>
);

interface SecretOnceProps {
  url: string;
  secret: string;
  /** Set where an earlier secret stays valid for a while. */
  until?: string | undefined;
  onClose: () => void;
}

interface FormProps {
  /** Null: a new one. */
  webhook: Webhook | null;
  onClose: () => void;
  onDone: (id: string) => Promise<void>;
}

const settingsOf = (webhook: Webhook | null) => ({
  url: webhook?.url ?? '',
  events: (webhook?.events ?? ['message.received']) as SentEventName[],
  mailbox_id: webhook?.mailbox_id ?? null,
  template: webhook?.template ?? null,
});

export const WebhookForm = ({ webhook, onClose, onDone }: FormProps) => {
  const [made, setMade] = useState<{ id: string; url: string; secret: string } | null>(null);
  const before = settingsOf(webhook);
  const changeOf = useEdit(before);
  const [{ url, mailbox_id: mailbox, headers, template }, field] = useTexts({
    url: before.url,
    mailbox_id: before.mailbox_id ?? '',
    headers: '',
    template: before.template ? JSON.stringify(before.template, null, 2) : '',
  });
  const [events, setEvents] = useState(before.events);
  const agents = overview.value?.agents ?? [];
  if (made) return <SecretOnce {...made} onClose={() => void onDone(made.id).then(onClose)} />;
  const run = async (): Promise<void> => {
    const edited = {
      url: url.trim(),
      events,
      mailbox_id: mailbox === '' ? null : mailbox,
      template: readTemplate(template),
    };
    const given = headers.trim() !== '' && { headers: readHeaders(headers) };
    if (webhook) {
      const change = { ...changeOf(edited, before), ...given };
      if (Object.keys(change).length > 0) await api.webhooks.update({ id: webhook.id, ...change });
      await onDone(webhook.id);
      return;
    }
    const { id, secret, url: at } = await api.webhooks.create({ ...edited, ...given });
    setMade({ id, secret, url: at });
  };
  return (
    <FormDialog
      title={webhook ? 'Edit the endpoint' : 'New webhook'}
      class="large"
      onClose={onClose}
      // A new one stays open, to show its secret.
      keepOpen={!webhook}
      verb={webhook ? 'Save' : 'Add webhook'}
      isDisabled={url.trim() === '' || events.length === 0}
      run={async () => {
        await run();
        return webhook ? 'The endpoint is saved' : null;
      }}
    >
      <TextField
        label="URL"
        isMono
        type="url"
        isRequired
        placeholder="https://hooks.halden.example/postroom"
        hint="Public, and https."
        {...field('url')}
      />
      <fieldset class="field">
        <legend>Events</legend>
        <div class="checks-2">
          {EVENTS.map(([name, words]) => (
            <Check
              key={name}
              id={`event-${name}`}
              label={`${name}: ${words}`}
              checked={events.includes(name)}
              onChange={(on) => setEvents(on ? [...events, name] : events.filter((each) => each !== name))}
            />
          ))}
        </div>
      </fieldset>
      <SelectField
        label="Agent"
        {...field('mailbox_id')}
        options={[
          ['', 'Every agent of the workspace'],
          ...agents.map(({ mailbox_id, handle }) => [mailbox_id, handle] as const),
        ]}
      />
      <details class="more">
        <summary>Headers and a body of your own</summary>
        <TextField
          label="Headers"
          rows={2}
          isMono
          placeholder="x-api-key: 4f2c…"
          hint={
            webhook && webhook.header_names.length > 0
              ? `Left empty, ${webhook.header_names.join(', ')} stay as they are; values are not shown again.`
              : 'One a line; the values are sealed, and not shown again.'
          }
          {...field('headers')}
        />
        <TextField
          label="Body"
          rows={5}
          isMono
          placeholder={'{ "text": "{{data.subject}} from {{data.from}}" }'}
          hint="JSON in the place of the usual body. {{event}}, {{timestamp}}, {{id}} and {{data.…}} are filled in."
          {...field('template')}
        />
      </details>
    </FormDialog>
  );
};
