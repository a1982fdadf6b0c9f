/** Imports vCards or CSV: first shows each row's outcome, then imports at a click. */

import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { api } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { Callout, Section } from '../components/blocks.tsx';
import { ActFailure, Button, ButtonLink, Field, useAct } from '../components/controls.tsx';
import { count, plural } from '../components/format.ts';
import { TextField } from '../components/inputs.tsx';
import { TitleRow } from '../frame/bar.tsx';
import { BackLink } from '../frame/reader-head.tsx';
import type { Seen } from './contact.ts';
import { Preview } from './import-preview.tsx';

/** Characters: above them the service takes no body. */
const MOST_CHARS = 6_000_000;

interface Picked {
  name: string;
  text: string;
  isCards: boolean;
}

/** UTF-8 where it is valid, else by the byte order mark, else the charset of Western spreadsheets. */
const decode = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

const looksLikeCards = (text: string): boolean => /^\s*BEGIN:VCARD/i.test(text);

interface Done {
  created: number;
  existed: number;
  skipped: number;
  failed: number;
  list: { id: string; name: string } | null;
}

const DoneCallout = ({ done }: { done: Done }) => (
  <Callout tone={done.failed + done.skipped > 0 ? 'warn' : 'good'}>
    <p>
      <b>{plural(done.created, 'contact')} came in.</b>{' '}
      {done.existed > 0 &&
        (done.existed === 1
          ? '1 was there already and is as it was. '
          : `${count(done.existed)} were there already and are as they were. `)}
      {done.skipped > 0 && `${count(done.skipped)} ${done.skipped === 1 ? 'was' : 'were'} skipped. `}
      {done.failed > 0 && `${count(done.failed)} cannot be read. `}
    </p>
    <p>
      <Link href="/contacts">See the contacts</Link>
      {done.list && (
        <>
          {' or '}
          <Link href={`/contacts/lists/${done.list.id}`}>the list “{done.list.name}”</Link>
        </>
      )}
    </p>
  </Callout>
);

export const ImportContacts = () => {
  const act = useAct();
  const chooser = useRef<HTMLInputElement>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  const [seen, setSeen] = useState<Seen | null>(null);
  const [listName, setListName] = useState('');
  const [pasted, setPasted] = useState('');
  const [done, setDone] = useState<Done | null>(null);

  const preview = (next: Picked): void => {
    setPicked(null);
    setSeen(null);
    setDone(null);
    act.run(async () => {
      if (next.text.length > MOST_CHARS)
        throw new Failure(0, 'too_large', 'The file is larger than 6 MB. Take it in parts.');
      const shown = next.isCards
        ? await api.contactPreview.vcards({ vcard: next.text })
        : await api.contactPreview.csv({ csv: next.text });
      setPicked(next);
      setSeen(shown);
    });
  };
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const text = decode(new Uint8Array(await file.arrayBuffer()));
    preview({ name: file.name, text, isCards: looksLikeCards(text) });
  };
  const run = (): void => {
    if (!picked || !seen) return;
    act.run(async () => {
      if (picked.isCards) {
        const { created, failed } = await api.contactExchange.importVCards({ vcard: picked.text });
        const existed = failed.filter(({ reason }) => reason === 'exists').length;
        setDone({ created, existed, skipped: 0, failed: failed.length - existed, list: null });
      } else {
        const name = listName.trim();
        const answer = await api.contactImport.import({
          csv: picked.text,
          ...(name !== '' && { list_name: name }),
        });
        setDone({
          created: answer.created,
          existed: answer.matched_existing,
          skipped: answer.skipped.length,
          failed: answer.failed.length,
          list: answer.list_id === null ? null : { id: answer.list_id, name },
        });
      }
      setPicked(null);
      setSeen(null);
      setPasted('');
      if (chooser.current) chooser.current.value = '';
      return 'The import is done';
    });
  };
  const usable = (seen?.counts.create ?? 0) + (picked?.isCards ? 0 : (seen?.counts.exists ?? 0));
  return (
    <>
      <TitleRow title="Import contacts">
        <ButtonLink class="quiet wide-only" href="/contacts" words="All contacts" />
        {seen && (
          <Button
            words={`Import ${plural(seen.counts.create, 'contact')}`}
            kind="primary"
            busy={act.isBusy && 'Importing…'}
            disabled={usable === 0}
            onClick={run}
          />
        )}
      </TitleRow>
      <div class="page">
        <BackLink href="/contacts">All contacts</BackLink>
        {done && <DoneCallout done={done} />}
        <Section title={picked ? picked.name : 'A file of contacts'} note="Nothing is written before you press Import.">
          <div class="panel fields-2">
            <Field label="File" hint="vCards (.vcf), or CSV with a header row. 6 MB at most.">
              {(attributes) => (
                <input
                  {...attributes}
                  ref={chooser}
                  class="input"
                  type="file"
                  accept=".vcf,.vcard,.csv,.txt,text/vcard,text/csv"
                  onClick={({ currentTarget }) => {
                    // The same file may be chosen again: the field then changes too.
                    currentTarget.value = '';
                  }}
                  onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
                />
              )}
            </Field>
            {picked && !picked.isCards ? (
              <TextField
                label="Put them on a list"
                placeholder="Customers"
                maxLength={100}
                value={listName}
                hint="Made where there is none of that name. It may be left out."
                onInput={setListName}
              />
            ) : (
              <div>
                <TextField
                  label="Or paste"
                  rows={3}
                  isMono
                  value={pasted}
                  onInput={setPasted}
                  placeholder={'email,name,company\nines@nordkai.example,Ines Halvorsen,Nordkai AS'}
                />
                <p class="after-field">
                  <Button
                    words="Preview"
                    isSmall
                    disabled={pasted.trim() === ''}
                    onClick={() => preview({ name: 'Pasted text', text: pasted, isCards: looksLikeCards(pasted) })}
                  />
                </p>
              </div>
            )}
          </div>
          <ActFailure text={act.failure} />
          {act.isBusy && !seen && (
            <p class="dim" role="status">
              Reading the file…
            </p>
          )}
        </Section>
        {seen && picked && <Preview seen={seen} isCards={picked.isCards} />}
      </div>
    </>
  );
};
