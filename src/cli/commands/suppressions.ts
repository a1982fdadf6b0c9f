/** `postroom suppressions` */

import { type Address, addressKey, parseAddress } from '../../kernel/address.ts';
import { suppressionsContract } from '../../resources/suppressions/contract.ts';
import { command } from '../command.ts';
import { wrongUsage } from '../failure.ts';
import { required } from '../parameters.ts';
import { table } from '../table.ts';
import { withOperations } from '../with-operations.ts';

const ofWorkspace = { workspace: required('W', 'name, slug or id') };
const addressOperand = { address: required('ADDRESS', 'as a@example.com') };

const requireAddress = (text: string): Address => {
  const address = parseAddress(text);
  if (!address) throw wrongUsage(`${text} is no e-mail address.`);
  return addressKey(address);
};

const list = command({
  name: 'suppressions list',
  summary: "lists addresses that a workspace's mail no longer goes to, newest first, up to 1000",
  operands: {},
  options: ofWorkspace,
  run: ({ workspace }, context) =>
    withOperations(context, async (call) => {
      const document = await call(suppressionsContract.list, { workspace });
      const rows = document.suppressions.map(({ address, reason, bounce_type, until, created_at }) => [
        address,
        reason,
        bounce_type,
        until ?? 'for good',
        created_at,
      ]);
      return {
        document,
        text: () => table(['ADDRESS', 'REASON', 'BOUNCE', 'UNTIL', 'SINCE'], rows, 'No address is suppressed.'),
      };
    }),
});

const add = command({
  name: 'suppressions add',
  summary: 'keeps mail from an address, for good',
  operands: addressOperand,
  options: ofWorkspace,
  run: ({ address, workspace }, context) => {
    const key = requireAddress(address);
    return withOperations(context, async (call) => {
      const document = await call(suppressionsContract.add, { workspace, address: key });
      return { document, text: () => `No mail goes to ${document.address} any more.` };
    });
  },
});

const remove = command({
  name: 'suppressions remove',
  summary: 'lets mail go to an address again',
  operands: addressOperand,
  options: ofWorkspace,
  run: ({ address, workspace }, context) => {
    const key = requireAddress(address);
    return withOperations(context, async (call) => {
      const document = await call(suppressionsContract.remove, { workspace, address: key });
      return { document, text: () => `Mail goes to ${document.address} again.` };
    });
  },
});

export const suppressionCommands = [list, add, remove];
