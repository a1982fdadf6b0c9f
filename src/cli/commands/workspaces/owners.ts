import { ownersContract } from '../../../resources/owners/contract.ts';
import { flag, listCommand, operationCommand, optional, required } from '../../command.ts';
import { details, yesNo } from '../../table.ts';
import { formatEnded } from '../ended-connections.ts';

const emailOperand = { email: required('EMAIL', 'the address that the owner signs in by') };

const add = operationCommand({
  name: 'owners add',
  summary: 'gives a workspace a further owner',
  operands: emailOperand,
  options: { workspace: required('W', 'name, slug or id') },
  call: (call, { email, workspace }) => call(ownersContract.add, { email, workspace }),
  text: ({ email, workspace, may_send }) =>
    [
      `${email} owns ${workspace}: postroom owners sign-in-link ${email}`,
      may_send ? `${workspace} may send.` : `${workspace} may not send: postroom workspaces show ${workspace}`,
    ].join('\n'),
});

const list = listCommand({
  name: 'owners list',
  summary: 'lists the owners of workspaces',
  options: { workspace: optional('W', 'only those of this workspace: name, slug or id') },
  operation: ownersContract.list,
  columns: [
    ['OWNER', 'email'],
    'workspace',
    ['ADDRESS PROVEN', (each) => yesNo(each.verified_at)],
    ['MAY SEND', (each) => yesNo(each.may_send)],
  ],
  none: 'No owners yet.',
});

const remove = operationCommand({
  name: 'owners remove',
  summary: 'takes a workspace from an owner, at once',
  operands: emailOperand,
  options: { workspace: required('W', 'name, slug or id'), yes: flag('do not ask') },
  question: ({ email, workspace }) => `Take ${workspace} from ${email}?`,
  call: (call, { email, workspace }) => call(ownersContract.remove, { email, workspace }),
  text: ({ email, workspace, ended }) => [`${email} owns ${workspace} no more.`, ...formatEnded(ended)].join('\n'),
});

const signInLink = operationCommand({
  name: 'owners sign-in-link',
  summary: 'makes a link that signs an owner in, once, within 15 minutes',
  operands: emailOperand,
  call: (call, { email }) => call(ownersContract.addSignInLink, { email }),
  text: (link) => details(Object.entries(link)),
});

const signOut = operationCommand({
  name: 'owners sign-out',
  summary: 'ends all sessions of an owner, and the links that would sign it in',
  operands: emailOperand,
  call: (call, { email }) => call(ownersContract.signOut, { email }),
  text: ({ ended, email }) => `${ended} sessions of ${email} have ended.`,
});

export const ownerCommands = [add, list, remove, signInLink, signOut];
