/** `postroom suppressions` */

import { type Address, addressKey, parseAddress } from '../../kernel/address.ts';
import { suppressionsContract } from '../../resources/suppressions/contract.ts';
import { wrongUsage } from '../failure.ts';
import { listCommand, operationCommand } from '../operation-command.ts';
import { required } from '../parameters.ts';

const ofWorkspace = { workspace: required('W', 'name, slug or id') };
const addressOperand = { address: required('ADDRESS', 'as a@example.com') };

const requireAddress = (text: string): Address => {
  const address = parseAddress(text);
  if (!address) throw wrongUsage(`${text} is no e-mail address.`);
  return addressKey(address);
};

const list = listCommand({
  name: 'suppressions list',
  summary: "lists addresses that a workspace's mail no longer goes to, newest first, up to 1000",
  options: ofWorkspace,
  operation: suppressionsContract.list,
  columns: [
    'address',
    'reason',
    ['BOUNCE', 'bounce_type'],
    ['UNTIL', ({ until }) => until ?? 'for good'],
    ['SINCE', 'created_at'],
  ],
  none: 'No address is suppressed.',
});

const add = operationCommand({
  name: 'suppressions add',
  summary: 'keeps mail from an address, for good',
  operands: addressOperand,
  options: ofWorkspace,
  call: (call, { address, workspace }) =>
    call(suppressionsContract.add, { workspace, address: requireAddress(address) }),
  text: ({ address }) => `No mail goes to ${address} any more.`,
});

const remove = operationCommand({
  name: 'suppressions remove',
  summary: 'lets mail go to an address again',
  operands: addressOperand,
  options: ofWorkspace,
  call: (call, { address, workspace }) =>
    call(suppressionsContract.remove, { workspace, address: requireAddress(address) }),
  text: ({ address }) => `Mail goes to ${address} again.`,
});

export const suppressionCommands = [list, add, remove];
