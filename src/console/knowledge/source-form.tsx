/** Adds a source: a text, a page, or a site that is crawled. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { FormDialog } from '../components/dialog.tsx';
import { Segments, TextField, useTexts } from '../components/inputs.tsx';

export type Source = Answer<'knowledge', 'list'>['sources'][number];
type Kind = Source['kind'];

const KINDS: readonly (readonly [Kind, string, string])[] = [
  ['site', 'Site', 'Every page below the address is read, 500 at most; robots.txt is kept to.'],
  ['page', 'Page', 'This one page, or PDF.'],
  ['text', 'Text', 'What you write here, as Markdown or plain text.'],
];

export const SourceForm = ({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) => {
  const [kind, setKind] = useState<Kind>('site');
  const [{ url, title, body }, field] = useTexts({ url: '', title: '', body: '' });
  const isText = kind === 'text';
  const hint = KINDS.find(([name]) => name === kind)?.[2] ?? '';
  return (
    <FormDialog
      title="Add a source"
      onClose={onClose}
      verb="Add source"
      isDisabled={isText ? body.trim() === '' : url.trim() === ''}
      run={async () => {
        await api.knowledge.add({
          kind,
          ...(isText ? { body } : { url: url.trim() }),
          ...(title.trim() !== '' && { title: title.trim() }),
        });
        await onDone();
        return isText ? 'The text is added' : 'It is being read';
      }}
    >
      <fieldset class="field">
        <legend>Kind</legend>
        <Segments label="Kind" value={kind} options={KINDS} onChange={setKind} />
        <span class="hint">{hint}</span>
      </fieldset>
      {!isText && (
        <TextField
          label="Address"
          isMono
          type="url"
          isRequired
          maxLength={2_000}
          placeholder="https://docs.halden.example/"
          {...field('url')}
        />
      )}
      <TextField
        label="Title"
        maxLength={200}
        placeholder="Shipping and returns"
        hint={isText ? 'Passages are cited by it.' : 'Left out, the page’s own.'}
        {...field('title')}
      />
      {isText && <TextField label="Text" rows={8} maxLength={200_000} isRequired {...field('body')} />}
    </FormDialog>
  );
};
