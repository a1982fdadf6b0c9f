/** Recipients as entries; typed text becomes one at a comma or Enter. Unfinished text counts, too. */

import { useId, useRef } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useAnswer } from '../api/loaded.ts';
import { useRefusal } from '../components/form.tsx';
import { useTyped } from '../components/inputs.tsx';
import { splitAddress } from '../components/mail-parts.tsx';
import { mainChannel } from '../contacts/contact.ts';

/** A comma within quotes is the name's. */
const BETWEEN = /[,;\n](?=(?:[^"]*"[^"]*")*[^"]*$)/;
const LEAST_CHARS = 2;
const MOST_SUGGESTED = 6;

const useSuggested = (text: string): string[] => {
  const typed = useTyped(text);
  const found = useAnswer(api.contacts.list, typed.length < LEAST_CHARS ? null : { q: typed, limit: MOST_SUGGESTED });
  return (found.value?.contacts ?? []).flatMap((contact) => {
    const address = mainChannel(contact);
    return address?.includes('@') ? [`${contact.name.replace(/[",<>]/g, '')} <${address}>`] : [];
  });
};

interface RecipientsProps {
  label: string;
  /** As the service calls it. */
  name: 'to' | 'cc' | 'bcc';
  /** The last one is being typed. */
  value: readonly string[];
  onChange: (value: string[]) => void;
  isFirst?: boolean;
}

export const Recipients = ({ label, name, value, onChange, isFirst = false }: RecipientsProps) => {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const { attributes, refusal } = useRefusal(name, id);
  const entries = value.slice(0, -1);
  const typed = value.at(-1) ?? '';
  const suggested = useSuggested(typed);
  const take = (text: string): void => {
    const parts = text.split(BETWEEN).map((part) => part.trim());
    const isChosen = suggested.includes(text);
    const rest = isChosen || parts.length === 1 ? '' : (parts.pop() ?? '');
    if (!isChosen && !BETWEEN.test(text)) onChange([...entries, text]);
    else onChange([...new Set([...entries, ...parts.filter(Boolean)]), rest]);
  };
  const finish = (): void => {
    const text = typed.trim();
    if (text === '') return;
    // Part of a name is the one contact that has it, as in other mail programs.
    const named = suggested.filter((each) => !text.includes('@') && each.toLowerCase().includes(text.toLowerCase()));
    onChange([...new Set([...entries, (named.length === 1 && named[0]) || text]), '']);
  };
  return (
    <div class="row">
      <label class="lab" for={id}>
        {label}
      </label>
      {entries.map((entry) => {
        const { name: person, address } = splitAddress(entry);
        return (
          <span key={entry} class={`tag ${address.includes('@') ? '' : 'bad'}`}>
            <bdi title={entry}>{person ?? address}</bdi>
            <button
              type="button"
              class="x"
              aria-label={`Leave out ${entry}`}
              onClick={() => {
                onChange([...entries.filter((each) => each !== entry), typed]);
                field.current?.focus();
              }}
            >
              ×
            </button>
          </span>
        );
      })}
      <input
        {...attributes}
        ref={field}
        id={id}
        class="plain"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={998}
        list={`${id}-l`}
        placeholder={isFirst && entries.length === 0 ? 'Name or address' : undefined}
        value={typed}
        onInput={({ currentTarget }) => take(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            finish();
          } else if (event.key === 'Backspace' && typed === '' && entries.length > 0) {
            onChange([...entries.slice(0, -1), '']);
          }
        }}
      />
      <datalist id={`${id}-l`}>
        {suggested.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      {refusal}
    </div>
  );
};
