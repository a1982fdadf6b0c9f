import type { Config } from '../../config/config.ts';
import { formatHostZone, type HostRecord, toHostRecords } from '../../domains/host-records.ts';
import { formatZone } from '../../domains/zone-file.ts';
import { type DnsRecordView, domainsContract } from '../../resources/domains/contract.ts';
import { type Answer, command, flag, optional, requireChoice, required, withOperations } from '../command.ts';
import { EXIT, wrongUsage } from '../failure.ts';
import { findHostAddresses } from '../host-addresses.ts';
import { printable, table } from '../table.ts';
import { cutCell, formatNeed, ofWorkspace, wantedValue, zoneOf } from '../text/dns-records.ts';

const FORMATS = ['table', 'zone', 'json'] as const;
type Format = (typeof FORMATS)[number];

const operands = { domain: required('DOMAIN', "the base domain, a workspace's domain, or the host's own name") };
/** Whether it is the host's name alone: where the base domain has the same, its records are those of a domain too. */
const isHost = (domain: string, { hostname, base_domain: base }: Config): boolean =>
  hostname !== base && domain.toLowerCase().replace(/\.$/, '') === hostname;

const hostTable = (records: readonly HostRecord[]): string =>
  table(['type', 'name', 'value', 'set_by'], records, 'No records.');

/** Shows the host's own records. */
const showHost = (config: Config, format: Format): Answer => {
  const records = toHostRecords(config.hostname, findHostAddresses(config));
  const texts: Record<Format, () => string> = {
    table: () =>
      [
        hostTable(records),
        ...(records.some(({ type }) => type === 'PTR')
          ? []
          : [
              'This machine has no public address of its own: publish the A, AAAA and PTR records of the one in front of it.',
            ]),
      ].join('\n\n'),
    zone: () => formatHostZone(records),
    json: () => JSON.stringify(records, null, 2),
  };
  return { document: records, text: texts[format] };
};

const show = command({
  name: 'dns show',
  summary: 'shows the DNS records to publish for a domain',
  operands,
  options: {
    format: optional(FORMATS.join('|'), 'table for people, zone for a zone file; without it table'),
    'whole-zone': flag('a zone file that loads by itself, with SOA and NS; without it they are comments'),
    ...ofWorkspace,
  },
  run: async ({ domain, workspace, format = 'table', 'whole-zone': isWholeZone }, context) => {
    const wanted = requireChoice(FORMATS, format, `There is no format ${format}: it is ${FORMATS.join(', ')}.`);
    return withOperations(context, async (call, { config }) => {
      if (isHost(domain, config)) return showHost(config, wanted);
      const shown = await call(domainsContract.records, { domain, workspace });
      const { records, hostname } = shown;
      const optionals = records
        .filter(({ required: isRequired }) => !isRequired)
        .map(({ type, name }) => `${type} ${name}`);
      const zone = zoneOf(shown.domain, config);
      // The domain's SPF record permits the host.
      const ofHost =
        shown.domain === hostname
          ? toHostRecords(hostname, findHostAddresses(config)).filter(({ type }) => type !== 'TXT')
          : [];
      const texts: Record<Format, () => string> = {
        table: () =>
          [
            ...(ofHost.length > 0 ? [hostTable(ofHost)] : []),
            table(['type', 'name', 'role', ['VALUE', wantedValue]], records, 'No records.'),
            ...(zone === null
              ? []
              : [
                  `This instance's DNS server answers for them. Publish one record in the zone above: ${zone}. NS ${hostname}.`,
                ]),
            ...(optionals.length > 0 ? [`Optional: ${optionals.join(', ')}`] : []),
          ].join('\n\n'),
        // Behind the SOA record, which begins a zone.
        zone: () => formatZone(records, { domain: shown.domain, hostname, isWholeZone }) + formatHostZone(ofHost),
        json: () => JSON.stringify(records, null, 2),
      };
      return { document: records, text: texts[wanted] };
    });
  },
});

/** The changes, record by record; none where only the delegation is missing. */
const formatChanges = (records: readonly DnsRecordView[], isPending: boolean): string[] =>
  records
    .filter(({ hint }) => hint !== null)
    .map((record) =>
      [
        `${record.type} ${record.name}: ${record.status}${formatNeed(record, isPending)}`,
        `  wanted: ${wantedValue(record)}`,
        ...(record.found.length > 0 ? record.found : ['nothing']).map((each) => `  found:  ${printable(each)}`),
        ...(record.hint === null ? [] : [`  ${printable(record.hint)}`]),
      ].join('\n'),
    );

const formatEnd = (domain: string, state: string, records: readonly DnsRecordView[], isSufficient: boolean): string => {
  const lacking = records.filter(({ required: isRequired, status }) => isRequired && status !== 'found');
  if (!isSufficient && lacking.every(({ status }) => status === 'unchecked'))
    return 'The required records could not be checked: whether they are published is not known.';
  if (!isSufficient) return 'Required records are missing or wrong.';
  if (state !== 'verified')
    return `Every required record is found, and ${domain} is ${state}: see postroom domains list.`;
  const next = records.find(({ role, status }) => role === 'next' && status !== 'found');
  return next
    ? `Every record that mail depends on is found. Publish ${next.name} before the next rotation of DKIM keys.`
    : 'Every required record is found.';
};

const check = command({
  name: 'dns check',
  summary:
    'looks the records of a domain up, and says what to change; exit code 1 while the domain cannot become or stay verified',
  operands,
  options: ofWorkspace,
  run: ({ domain, workspace }, context) =>
    withOperations(context, async (call, { config }) => {
      if (isHost(domain, config))
        throw wrongUsage(`${config.hostname} is the host itself, which has a command of its own: postroom doctor`);
      const found = await call(domainsContract.check, { domain, workspace });
      // A domain with all records is verified on every check.
      const isDue = found.sufficient && found.status !== 'verified';
      const document = isDue
        ? { ...found, status: (await call(domainsContract.verify, { domain, workspace })).status }
        : found;
      const { records, hint, status: state, sufficient } = document;
      return {
        document,
        exitCode: sufficient ? EXIT.done : EXIT.refused,
        text: () =>
          [
            table(
              [
                'status',
                'type',
                'name',
                'role',
                ['WANTED', (record) => cutCell(wantedValue(record))],
                ['FOUND', (record) => cutCell(record.found.join(' | '))],
              ],
              records,
              'No records.',
            ),
            ...formatChanges(records, state === 'pending'),
            ...(hint === null ? [] : [printable(hint)]),
            formatEnd(document.domain, state, records, sufficient),
          ].join('\n\n'),
      };
    }),
});

export const dnsCommands = [show, check];
