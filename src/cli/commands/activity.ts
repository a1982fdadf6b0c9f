/** `postroom activity`: acts that change who may do what, secrets read included, and whether that log is whole. */

import { type ActView, activityContract } from '../../resources/activity/contract.ts';
import { command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { wrongUsage } from '../failure.ts';
import { optional } from '../parameters.ts';
import { details, table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

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

const list = command({
  name: 'activity list',
  summary: 'lists acts that change who may do what, and secrets that were read, newest first',
  operands: {},
  options: {
    workspace: optional('W', 'of this workspace alone: name, slug or id'),
    limit: optional('N', `how many, up to ${MAX_LISTED}; without it 50`),
    cursor: optional('C', 'goes on behind an earlier list, from its next_cursor'),
  },
  run: ({ workspace, limit, cursor }, context) => {
    const wanted = { workspace, cursor, limit: limit === undefined ? undefined : parseLimit(limit) };
    return withOperations(context, async (call) => {
      const document = await call(activityContract.list, wanted);
      const rows = document.activity.map((act) => [
        act.at,
        act.actor,
        act.action,
        act.subject,
        act.via,
        detailText(act),
      ]);
      const more = document.next_cursor === null ? [] : [`More: --cursor ${document.next_cursor}`];
      return {
        document,
        text: () =>
          [table(['AT', 'ACTOR', 'ACTION', 'SUBJECT', 'VIA', 'DETAIL'], rows, 'Nothing yet.'), ...more].join('\n\n'),
      };
    });
  },
});

const verify = command({
  name: 'activity verify',
  summary: 'says whether the log is whole: no row altered, removed or moved, no end cut off',
  operands: {},
  options: {},
  run: (_given, context) =>
    withOperations(context, async (call) => {
      const document = await call(activityContract.verify, {});
      const { ok, rows, rows_without_mac, macs_checked, head, faults } = document;
      return {
        document,
        exitCode: ok ? EXIT.done : EXIT.refused,
        text: () =>
          [
            details([
              ['whole', ok ? 'yes' : 'no'],
              ['rows', rows],
              ['rows without MAC', rows_without_mac],
              ['MACs checked', macs_checked ? 'yes' : "no: the vault's key is missing"],
              ['head', `${head.seq} ${head.hash}`],
            ]),
            ...(ok
              ? []
              : [
                  table(
                    ['ROW', 'FAULT'],
                    faults.map(({ seq, fault }) => [seq, fault]),
                    '',
                  ),
                ]),
          ].join('\n\n'),
      };
    }),
});

export const activityCommands = [list, verify];
