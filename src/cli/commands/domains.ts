/** `postroom domains` */

import type { DnsRecordView } from '../../resources/domains/contract.ts';
import { domainsContract } from '../../resources/domains/contract.ts';
import { command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { EXIT } from '../exit-codes.ts';
import { flag, optional, required } from '../parameters.ts';
import { printable, table } from '../table.ts';
import { cutCell, formatHint, wantedValue, zoneOf } from '../text/dns-records.ts';
import { withOperations } from '../with-operations.ts';

const operands = { domain: required('DOMAIN', 'as example.com') };
const ofWorkspace = {
  workspace: optional('W', 'whose domain it is, where several have added it: name, slug or id'),
};

const recordTable = (records: readonly DnsRecordView[], cut: (value: string) => string): string =>
  table(
    ['STATUS', 'TYPE', 'NAME', 'ROLE', 'VALUE'],
    records.map((record) => [record.status, record.type, record.name, record.role, cut(wantedValue(record))]),
    'No records.',
  );

/** An owner whose mail an agent may come to read is mailed nothing. */
const ownerWarnings = (owners: readonly string[]): string[] =>
  owners.map(
    (email) =>
      `The owner ${email} has an address on it: its sign-in links and notices cannot be mailed there. Add an owner elsewhere, or use \`postroom owners sign-in-link ${email}\`.`,
  );

const add = command({
  name: 'domains add',
  summary: 'adds a custom domain to a workspace, and shows the DNS records to publish for it',
  operands,
  options: { workspace: required('W', 'name, slug or id') },
  run: ({ domain, workspace }, context) =>
    withOperations(context, async (call) => {
      const { created, ...document } = await call(domainsContract.add, { domain, workspace });
      const first = created ? `${document.domain} is added.` : `${workspace} has ${document.domain} already.`;
      const then = `Publish these records, then run \`postroom domains verify ${document.domain}\`.`;
      const warnings = ownerWarnings(document.owners_on_domain);
      const text = () => [first, recordTable(document.records, (value) => value), ...warnings, then].join('\n\n');
      return { document, text };
    }),
});

const list = command({
  name: 'domains list',
  summary: 'lists domains; `dns show` has their records',
  operands: {},
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(domainsContract.list, { workspace });
      const rows = document.domains.map(({ domain, kind, status, can_send, last_checked_at }) => [
        domain,
        kind,
        status,
        can_send ? 'yes' : 'no',
        last_checked_at,
      ]);
      const head = ['DOMAIN', 'KIND', 'STATUS', 'MAY SEND', 'CHECKED'];
      return { document, text: () => table(head, rows, 'No domains yet.') };
    }),
});

const verify = command({
  name: 'domains verify',
  summary: 'looks the records of a domain up, and verifies it once all required ones are found; exit code 1 until then',
  operands,
  options: ofWorkspace,
  run: ({ domain, workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(domainsContract.verify, { domain, workspace });
      const { status, can_send, receives, records, hint } = document;
      const hints = records.flatMap((record) => formatHint(record, status === 'pending'));
      const last = `${document.domain} is ${status}; it ${can_send ? 'may' : 'may not'} send.${can_send && !receives ? ' Its mail is received by another server, as its MX record says.' : ''}`;
      return {
        document,
        exitCode: status === 'verified' ? EXIT.done : EXIT.refused,
        text: () =>
          [
            recordTable(records, cutCell),
            ...hints,
            ...(hint === null ? [] : [printable(hint)]),
            ...ownerWarnings(document.owners_on_domain),
            last,
          ].join('\n\n'),
      };
    }),
});

const remove = command({
  name: 'domains remove',
  summary: 'removes a custom domain without mailboxes',
  operands,
  options: { ...ofWorkspace, yes: flag('do not ask') },
  run: async ({ domain, workspace, yes }, context) => {
    await confirm(`Remove the domain ${domain}?`, yes);
    return withOperations(context, async (call) => {
      const document = await call(domainsContract.remove, { domain, workspace });
      return { document, text: () => `The domain ${document.domain} is removed.` };
    });
  },
});

const rotate = command({
  name: 'domains rotate-dkim',
  summary: 'has the DKIM key that is published ahead sign from now on, and shows the record of the one after it',
  operands,
  options: ofWorkspace,
  run: ({ domain, workspace }, context) =>
    withOperations(context, async (call, { config }) => {
      const document = await call(domainsContract.rotateDkim, { domain, workspace });
      const keys = document.records.filter(({ purpose }) => purpose === 'dkim');
      const signs = `${document.domain} signs with the next key.`;
      if (zoneOf(document.domain, config) !== null) {
        return { document, text: () => `${signs} This instance's DNS server answers for the keys.` };
      }
      const text = () =>
        [
          signs,
          recordTable(keys, cutCell),
          `\`postroom dns show ${document.domain}\` has them whole. Leave the retiring key's record in place for 7 days, and publish that of the next key before the next rotation.`,
        ].join('\n\n');
      return { document, text };
    }),
});

export const domainCommands = [add, list, verify, remove, rotate];
