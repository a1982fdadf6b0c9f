/** The workspace's domains, and adding one. */

import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../api/client.ts';
import { useRefreshed } from '../api/loaded.ts';
import { session } from '../api/session.ts';
import { Show, Table, Time } from '../components/blocks.tsx';
import { AddButton } from '../components/controls.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { plural } from '../components/format.ts';
import { TextField, useTexts } from '../components/inputs.tsx';
import { Badge } from '../components/marks.tsx';
import { useAsked } from '../frame/asked.ts';
import { TitleRow } from '../frame/bar.tsx';
import type { Domain } from './dns-record.tsx';

/** With `--local`, mail stays on this machine, and the workspace's own domain needs no records. A custom one does. */
export const wantsNoRecords = ({ kind }: Pick<Domain, 'kind'>): boolean =>
  session.value?.is_local === true && kind !== 'custom';

export const DomainState = ({ domain }: { domain: Pick<Domain, 'status' | 'kind'> }) => {
  const { status, kind } = domain;
  if (wantsNoRecords(domain)) return <Badge mark="off">not needed here</Badge>;
  if (status === 'verified') return <Badge mark="ok">verified</Badge>;
  if (status === 'failing') return <Badge mark="bad">failing</Badge>;
  return <Badge mark={kind === 'custom' ? 'warn' : 'wait'}>pending</Badge>;
};

export const NewDomain = ({ onClose }: { onClose: () => void }) => {
  const [, go] = useLocation();
  const [{ domain }, field] = useTexts({ domain: '' });
  return (
    <FormDialog
      title="Add a domain"
      onClose={onClose}
      verb="Add domain"
      isDisabled={domain.trim() === ''}
      run={async () => {
        const added = await api.domains.add({ domain: domain.trim() });
        go(`/domains/${added.domain}`);
        return `${added.domain} is added`;
      }}
    >
      <TextField
        label="Domain"
        isRequired
        isMono
        hint="Its mail comes here. Where a domain has mail elsewhere, take a subdomain of it. What to publish comes next."
        placeholder="mail.halden.example"
        {...field('domain')}
      />
    </FormDialog>
  );
};

export const Domains = () => {
  const list = useRefreshed(api.domains.list, {});
  const [isNew, setNew] = useState(false);
  useAsked('domain', () => setNew(true));
  const rows = list.value?.domains ?? [];
  return (
    <>
      <TitleRow title="Domains" context={list.value && <span class="dim">{plural(rows.length, 'domain')}</span>}>
        <AddButton words="Add domain" onClick={() => setNew(true)} />
      </TitleRow>
      <div class="page">
        <Show loaded={list} what="The domains">
          {() => (
            <Table heads={['Domain', 'State', 'Sends', 'Records', '#Checked']} of={rows}>
              {(domain) => (
                <tr key={domain.id}>
                  <td class="full">
                    <Link class="mono" href={`/domains/${domain.domain}`}>
                      {domain.domain}
                    </Link>
                    {domain.kind !== 'custom' && <span class="dim small"> the workspace’s own</span>}
                  </td>
                  <td>
                    <DomainState domain={domain} />
                  </td>
                  <td class="dim">
                    {wantsNoRecords(domain) ? 'on this machine' : domain.can_send ? 'sends' : 'cannot send'}
                  </td>
                  <td class="dim wide-only">
                    {wantsNoRecords(domain)
                      ? 'none to publish'
                      : `${domain.records.filter(({ status }) => status === 'found').length} of ${domain.records.length} found`}
                  </td>
                  <td class="num dim wide-only">
                    {domain.last_checked_at ? <Time at={domain.last_checked_at} as="ago" /> : 'never'}
                  </td>
                </tr>
              )}
            </Table>
          )}
        </Show>
      </div>
      {isNew && <NewDomain onClose={() => setNew(false)} />}
    </>
  );
};
