/** `postroom activity`: acts that change rights, reads of secrets included, and whether the log is intact. */

import { type ActView, activityContract } from '../../resources/activity/contract.ts';
import { operationCommand, optional } from '../command.ts';
import { EXIT, wrongUsage } from '../failure.ts';
import { details, table, yesNo } from '../table.ts';

const MAX_LISTED = 500;

const parseLimit = (text: string): number => {
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= MAX_LISTED) return limit;
  throw wrongUsage(`--limit is a whole number from 1 to ${MAX_LISTED}.`);
};

const detailText = ({ detail }: ActView): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(' ');

const list = operationCommand({
  name: 'activity list',
  summary: 'lists acts that change who may do what, and secrets that were read, newest first',
  options: {
    workspace: optional('W', 'of this workspace alone: name, slug or id'),
    limit: optional('N', `how many, up to ${MAX_LISTED}; without it 50`),
    cursor: optional('C', 'goes on behind an earlier list, from its next_cursor'),
  },
  call: (call, { workspace, limit, cursor }) =>
    call(activityContract.list, { workspace, cursor, limit: limit === undefined ? undefined : parseLimit(limit) }),
  text: ({ activity, next_cursor: cursor }) =>
    [
      table(['at', 'actor', 'action', 'subject', 'via', ['DETAIL', detailText]], activity, 'Nothing yet.'),
      ...(cursor === null ? [] : [`More: --cursor ${cursor}`]),
    ].join('\n\n'),
});

const verify = operationCommand({
  name: 'activity verify',
  summary: 'says whether the log is whole: no row altered, removed or moved, no end cut off',
  call: (call) => call(activityContract.verify, {}),
  exitCode: ({ ok }) => (ok ? EXIT.done : EXIT.refused),
  text: ({ ok, rows, rows_without_mac, macs_checked, head, faults }) =>
    [
      details([
        ['whole', yesNo(ok)],
        ['rows', rows],
        ['rows without MAC', rows_without_mac],
        ['MACs checked', macs_checked ? 'yes' : "no: the vault's key is missing"],
        ['head', `${head.seq} ${head.hash}`],
      ]),
      ...(ok ? [] : [table([['ROW', 'seq'], 'fault'], faults, '')]),
    ].join('\n\n'),
});

export const activityCommands = [list, verify];
