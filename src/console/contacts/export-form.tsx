/** Saves the contacts as a file, requested page by page, so that many contacts block nothing. */

import { useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { save } from '../api/save.ts';
import { FormDialog } from '../components/dialog.tsx';
import { count, plural } from '../components/format.ts';
import { SelectField } from '../components/inputs.tsx';

const FORMATS = {
  vcard: { label: 'vCard, for mail programs', name: 'contacts.vcf', type: 'text/vcard' },
  csv: { label: 'CSV, for spreadsheets', name: 'contacts.csv', type: 'text/csv' },
} as const;
type Format = keyof typeof FORMATS;
type Page = Answer<'contactExchange', 'export'>;

export const ExportForm = ({ onClose }: { onClose: () => void }) => {
  const [format, setFormat] = useState<Format>('vcard');
  const [written, setWritten] = useState(0);
  return (
    <FormDialog
      title="Export contacts"
      onClose={onClose}
      verb="Export"
      busy={written === 0 ? 'Exporting…' : `${count(written)} so far…`}
      run={async () => {
        const parts: string[] = [];
        let contacts = 0;
        let cursor: string | null = null;
        do {
          const page: Page = await api.contactExchange.export({ format, ...(cursor !== null && { cursor }) });
          parts.push(page.text);
          contacts += page.contacts;
          setWritten(contacts);
          cursor = page.next_cursor;
        } while (cursor !== null);
        save(parts, FORMATS[format]);
        return `${plural(contacts, 'contact')} exported`;
      }}
    >
      <SelectField
        label="File"
        value={format}
        options={Object.entries(FORMATS).map(([key, { label }]) => [key, label] as const)}
        onInput={(key) => setFormat(key as Format)}
      />
    </FormDialog>
  );
};
