/** Writes a mail in the name of an agent, through the same gate as its own mail. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { overview } from '../api/overview.ts';
import { session } from '../api/session.ts';
import { Button, Select, useAct } from '../components/controls.tsx';
import { ask } from '../components/dialog.tsx';
import { Form, FormFailure, useRefusal } from '../components/form.tsx';
import { dayAndTime, plural, shortTime, size } from '../components/format.ts';
import { splitAddress } from '../components/mail-parts.tsx';
import { Icon } from '../components/marks.tsx';
import { sayDone } from '../components/toast.tsx';
import { type Draft, entriesOf, useKeptDraft } from './kept-draft.ts';
import { Recipients } from './recipients.tsx';
import { WhenDialog } from './when-dialog.tsx';

const From = ({ agent, pick }: { agent: string; pick: ((agent: string) => void) | null }) => {
  const agents = overview.value?.agents ?? [];
  const address = agents.find(({ handle }) => handle === agent)?.address;
  return (
    <div class="row">
      <span class="lab">From</span>
      {pick && agents.length > 1 ? (
        <Select
          label="From"
          value={agent}
          options={agents.map(({ handle, address: of }) => [handle, `${handle}, ${of}`] as const)}
          onChange={pick}
        />
      ) : (
        <>
          <b class="strong">{agent}</b> <span class="mono clip">{address}</span>
        </>
      )}
      <span class="end faint small">
        sent by {session.value?.email} for {agent}
      </span>
    </div>
  );
};

const Subject = ({ value, onInput }: { value: string; onInput: (text: string) => void }) => {
  const id = useId();
  const { attributes, refusal } = useRefusal('subject', id);
  return (
    <div class="row">
      <label class="lab" for={id}>
        Subject
      </label>
      <input
        {...attributes}
        id={id}
        class="plain"
        autocomplete="off"
        maxLength={998}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {refusal}
    </div>
  );
};

/** A note for the writer on the answered or forwarded mail. */
const noteOf = ({ kind, original }: Draft): string | null => {
  if (kind === 'new') return null;
  if (!original) return 'The mail that this is about is gone.';
  if (kind !== 'forward') {
    return original.reply_to_differs ? 'Answers to this mail go to another domain than that of its sender.' : null;
  }
  const { files } = original;
  const name = splitAddress(original.from).name ?? splitAddress(original.from).address;
  return `The mail of ${name} follows beneath${files.length === 0 ? '' : `, with ${plural(files.length, 'file')}: ${files.join(', ')}`}.`;
};

const LABELS = { new: 'New mail', reply: 'Reply', reply_all: 'Reply to all', forward: 'Forward' } as const;

interface ComposerProps {
  draft: Draft;
  /** Whether the first field to fill gets the focus. */
  isCalled: boolean;
  /** @param messageId of the sent mail */
  onEnd: (messageId: string | null) => void;
}

export const Composer = ({ draft, isCalled, onEnd }: ComposerProps) => {
  const { kind } = draft;
  const kept = useKeptDraft(draft);
  const { written, change, files } = kept;
  const act = useAct();
  const filing = useAct();
  const root = useRef<HTMLElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isBooking, setBooking] = useState(false);
  const [isCopied, setCopied] = useState(written.cc.length > 1);
  const [isBlind, setBlind] = useState(written.bcc.length > 1);
  const isToFirst = entriesOf(written.to).length === 0;
  useEffect(() => {
    if (!isCalled) return;
    root.current?.querySelector<HTMLElement>(isToFirst ? 'input.plain' : 'textarea')?.focus();
    root.current?.scrollIntoView({ block: 'nearest' });
  }, [isCalled]);

  const askToDiscard = (): void =>
    ask({
      title: 'Discard this draft?',
      verb: 'Discard',
      text: <p>What is written in it is lost{files.length > 0 && ', its files too'}.</p>,
      run: async () => {
        await kept.discard();
        onEnd(null);
        return 'The draft is discarded';
      },
    });
  const tell = ({ status, messageId, pendingId, send_at }: Awaited<ReturnType<typeof kept.send>>): void => {
    const [first = '', ...others] = [written.to, written.cc, written.bcc].flatMap(entriesOf);
    const whom = `${splitAddress(first).address}${others.length === 0 ? '' : ` and ${plural(others.length, 'other')}`}`;
    if (status === 'held') {
      const link = { href: `/approvals/${pendingId}`, words: 'Decide' };
      sayDone(`Held, as ${written.agent}’s own mail is`, undefined, { link });
    } else if (status === 'scheduled') sayDone(`Booked for ${dayAndTime(send_at ?? '')}`);
    else {
      const link = { href: `/agents/${written.agent}/messages/${messageId}`, words: 'See it' };
      sayDone(`Sent to ${whom}`, undefined, { link });
    }
    onEnd(messageId ?? null);
  };
  const send = (): void => {
    // A key reaches it while the button is idle: the mail would go without the file.
    if (filing.isBusy) return;
    act.run(async () => {
      tell(await kept.send());
    });
  };
  const attach = (chosen: FileList | null | undefined): void => {
    if (chosen && chosen.length > 0) {
      const all = [...chosen];
      filing.run(() => kept.attach(all).then(() => null));
    }
  };
  const note = noteOf(draft);
  const words = kept.failure ?? filing.failure;
  return (
    <section
      class="compose"
      aria-label={LABELS[kind]}
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
        // Belongs to a dialog over it.
        if (event.target instanceof Element && event.target.closest('dialog') !== root.current?.closest('dialog'))
          return;
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.dataTransfer?.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => {
        if (!event.dataTransfer?.files.length) return;
        event.preventDefault();
        attach(event.dataTransfer.files);
      }}
    >
      <Form act={act} run={send} isReadOnly={act.isBusy}>
        <From agent={written.agent} pick={kind === 'new' ? (agent) => change({ agent }) : null} />
        <Recipients label="To" name="to" value={written.to} onChange={(to) => change({ to })} isFirst />
        {isCopied && <Recipients label="Cc" name="cc" value={written.cc} onChange={(cc) => change({ cc })} />}
        {isBlind && <Recipients label="Bcc" name="bcc" value={written.bcc} onChange={(bcc) => change({ bcc })} />}
        <Subject value={written.subject} onInput={(subject) => change({ subject })} />
        <textarea
          class="text"
          dir="auto"
          aria-label={`Text: ${LABELS[kind]}`}
          maxLength={1_000_000}
          value={written.body}
          onInput={({ currentTarget }) => change({ body: currentTarget.value })}
          onPaste={({ clipboardData }) => {
            // Word and Excel copy a picture of their text along with it.
            const isRichText = ['text/plain', 'text/html'].every((type) => clipboardData?.types.includes(type));
            if (!isRichText) attach(clipboardData?.files);
          }}
        />
        {note !== null && <p class="row dim">{note}</p>}
        <div class="row">
          {files.map((file) => (
            <span key={file.id} class="tag">
              <bdi>{file.filename}</bdi> <span class="faint">{size(file.size)}</span>
              <button
                type="button"
                class="x"
                aria-label={`Take away ${file.filename}`}
                onClick={() => filing.run(() => kept.detach(file).then(() => null))}
              >
                ×
              </button>
            </span>
          ))}
          <Button
            words="Attach"
            kind="quiet"
            isSmall
            icon="clip"
            busy={filing.isBusy && 'Attaching…'}
            onClick={() => chooser.current?.click()}
          />
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label="Files to attach"
            onChange={({ currentTarget }) => {
              attach(currentTarget.files);
              currentTarget.value = '';
            }}
          />
          {!isCopied && <Button words="Add cc" kind="quiet" isSmall onClick={() => setCopied(true)} />}
          {!isBlind && <Button words="Add bcc" kind="quiet" isSmall onClick={() => setBlind(true)} />}
          <span class="end faint small" role="status">
            {words === null && kept.keptAt !== null && `Draft kept ${shortTime(kept.keptAt)}`}
          </span>
        </div>
        {words !== null && (
          <p class="row bad" role="alert">
            <Icon name="fail" /> {words}
          </p>
        )}
        <footer>
          <FormFailure />
          <div class="end">
            <Button
              words="Discard"
              kind="danger"
              isIdle={act.isBusy || filing.isBusy}
              onClick={() => (kept.isEmpty() ? onEnd(null) : askToDiscard())}
            />
            <Button words="Book" isIdle={act.isBusy || filing.isBusy} onClick={() => setBooking(true)} />
            <Button
              words="Send"
              type="submit"
              kind="primary"
              isIdle={filing.isBusy}
              busy={act.isBusy && 'Sending…'}
              hint="Ctrl ↵"
            />
          </div>
        </footer>
      </Form>
      {isBooking && (
        <WhenDialog
          title="Book this mail"
          verb="Book"
          onClose={() => setBooking(false)}
          run={async (at) => {
            tell(await kept.send(at));
          }}
        />
      )}
    </section>
  );
};
