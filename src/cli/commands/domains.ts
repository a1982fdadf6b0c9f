import { type DnsRecordView, domainsContract } from '../../resources/domains/contract.ts';
import { command, flag, listCommand, operationCommand, optional, required, withOperations } from '../command.ts';
import { EXIT } from '../failure.ts';
import { printable, table, yesNo } from '../table.ts';
import { cutCell, formatHint, ofWorkspace, wantedValue, zoneOf } from '../text/dns-records.ts';

const operands = { domain: required('DOMAIN', 'as example.com') };
const recordTable = (records: readonly DnsRecordView[], cut: (value: string) => string): string =>
  table(['status', 'type', 'name', 'role', ['VALUE', (record) => cut(wantedValue(record))]], records, 'No records.');

/** Owners are not mailed at addresses that agents may come to read. */
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
      const elsewhere =
        'Where another server receives its mail and shall go on, leave its MX, DMARC, MTA-STS and TLS-RPT records as they are.';
      const then = `Publish these records, then run \`postroom domains verify ${document.domain}\`.`;
      const warnings = ownerWarnings(document.owners_on_domain);
      const text = () =>
        [first, recordTable(document.records, (value) => value), ...warnings, elsewhere, then].join('\n\n');
      return { document, text };
    }),
});

const list = listCommand({
  name: 'domains list',
  summary: 'lists domains; `dns show` has their records',
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  operation: domainsContract.list,
  columns: [
    'domain',
    'workspace',
    'kind',
    'status',
    ['MAY SEND', (each) => yesNo(each.can_send)],
    ['CHECKED', 'last_checked_at'],
  ],
  none: 'No domains yet.',
});

const verify = operationCommand({
  name: 'domains verify',
  summary: 'looks the records of a domain up, and verifies it once all required ones are found; exit code 1 until then',
  operands,
  options: ofWorkspace,
  call: (call, { domain, workspace }) => call(domainsContract.verify, { domain, workspace }),
  exitCode: ({ status }) => (status === 'verified' ? EXIT.done : EXIT.refused),
  text: ({ domain, status, can_send, receives, records, hint, owners_on_domain }) =>
    [
      recordTable(records, cutCell),
      ...records.flatMap((record) => formatHint(record, status === 'pending')),
      ...(hint === null ? [] : [printable(hint)]),
      ...ownerWarnings(owners_on_domain),
      `${domain} is ${status}; it ${can_send ? 'may' : 'may not'} send.${can_send && !receives ? ' Its mail is received by another server, as its MX record says.' : ''}`,
    ].join('\n\n'),
});

const remove = operationCommand({
  name: 'domains remove',
  summary: 'removes a custom domain without mailboxes',
  operands,
  options: { ...ofWorkspace, yes: flag('do not ask') },
  question: ({ domain }) => `Remove the domain ${domain}?`,
  call: (call, { domain, workspace }) => call(domainsContract.remove, { domain, workspace }),
  text: ({ domain }) => `The domain ${domain} is removed.`,
});

const rotate = operationCommand({
  name: 'domains rotate-dkim',
  summary: 'has the DKIM key that is published ahead sign from now on, and shows the record of the one after it',
  operands,
  options: ofWorkspace,
  call: (call, { domain, workspace }) => call(domainsContract.rotateDkim, { domain, workspace }),
  text: ({ domain, records }, _given, { config }) => {
    const signs = `${domain} signs with the next key.`;
    if (zoneOf(domain, config) !== null) return `${signs} This instance's DNS server answers for the keys.`;
    const keys = records.filter(({ purpose }) => purpose === 'dkim');
    return [
      signs,
      recordTable(keys, cutCell),
      `\`postroom dns show ${domain}\` has them whole. Leave the retiring key's record in place for 7 days, and publish that of the next key before the next rotation.`,
    ].join('\n\n');
  },
});

export const domainCommands = [add, list, verify, remove, rotate];
