/** `postroom secrets`: persons seal, grant and remove them. A value comes by stdin and is never shown. */

import { type SealedSecretView, secretsContract } from '../../resources/secrets/contract.ts';
import {
  command,
  flag,
  listCommand,
  operationCommand,
  optional,
  repeated,
  requireChoice,
  required,
  withOperations,
} from '../command.ts';
import { formatExamples, readSecretValue, SECRET_TYPES } from '../secret-value.ts';
import { details, yesNo } from '../table.ts';

const ofWorkspace = {
  workspace: optional(
    'W',
    'where the secret stands: name, slug or id; needed where several workspaces have one of that name',
  ),
};
const secretOperand = { secret: required('SECRET', 'name or id, as `postroom secrets list` shows it') };
const grantOperands = { ...secretOperand, handle: required('HANDLE', 'handle, address or id of the agent') };

const shown = ({ not_guarded: short, ...secret }: SealedSecretView): string => {
  const warning = `Too short for the leak guard, so mail that holds it is not held: ${short.join(', ')} (under 8 bytes).`;
  return [details(Object.entries(secret)), ...(short.length > 0 ? [warning] : [])].join('\n\n');
};

const add = command({
  name: 'secrets add',
  summary: 'seals a secret; its value is read from stdin as JSON, with the fields of its type',
  operands: { name: required('NAME', 'unique in the workspace') },
  options: {
    workspace: required('W', 'name, slug or id'),
    type: required('T', `one of ${SECRET_TYPES.join(', ')}`),
    tag: repeated('TAG', 'may stand several times'),
    grant: repeated('HANDLE', 'an agent that may open it; may stand several times'),
  },
  notes: formatExamples(),
  run: async ({ name, workspace, type, tag, grant }, context) => {
    const refusal = `There is no type "${type}": they are ${SECRET_TYPES.join(', ')}.`;
    const known = { workspace, name, type: requireChoice(SECRET_TYPES, type, refusal), tags: tag, grants: grant };
    const value = await readSecretValue(known.type);
    return withOperations(context, async (call) => {
      const document = await call(secretsContract.add, { ...known, value });
      return { document, text: () => shown(document) };
    });
  },
});

const change = command({
  name: 'secrets change',
  summary: 'seals another value in the place of the one there is, read from stdin as JSON',
  operands: secretOperand,
  options: {
    ...ofWorkspace,
    tag: repeated('TAG', 'its tags from now on; without any they stay'),
    'tags-only': flag('reads no value: changes the tags alone; without --tag it has none from now on'),
  },
  run: async ({ secret, workspace, tag, 'tags-only': isTagsOnly }, context) => {
    const value = isTagsOnly ? undefined : await readSecretValue(null);
    return withOperations(context, async (call) => {
      const tags = isTagsOnly || tag.length > 0 ? { tags: tag } : {};
      const document = await call(secretsContract.change, { workspace, secret, value, ...tags });
      return { document, text: () => shown(document) };
    });
  },
});

const list = listCommand({
  name: 'secrets list',
  summary: 'lists secrets and which agents may open them; never a value',
  options: { workspace: optional('W', 'of this workspace alone: name, slug or id; without it, of all') },
  operation: secretsContract.list,
  columns: [
    'id',
    'workspace',
    'name',
    'type',
    ['TAGS', ({ tags }) => tags.join(',')],
    ['TOTP', (each) => yesNo(each.has_totp)],
    ['GRANTED TO', ({ grants }) => grants.join(',')],
    ['CHANGED', 'updated_at'],
  ],
  none: 'No secrets yet.',
});

const formatGrants = ({ name, grants }: { name: string; grants: string[] }): string =>
  `${name} may be opened by ${grants.length > 0 ? grants.join(', ') : 'no agent'}.`;

const grant = operationCommand({
  name: 'secrets grant',
  summary: 'lets an agent of the workspace open a secret',
  operands: grantOperands,
  options: { ...ofWorkspace, 'with-seed': flag('it reads the seed of the one-time codes too, not the codes alone') },
  call: (call, { secret, handle, workspace, 'with-seed': withSeed }) =>
    call(secretsContract.grant, { workspace, secret, agent: handle, with_seed: withSeed }),
  text: formatGrants,
});

const ungrant = operationCommand({
  name: 'secrets ungrant',
  summary: 'takes a secret from an agent; change the value if it may have read it',
  operands: grantOperands,
  options: ofWorkspace,
  call: (call, { secret, handle, workspace }) => call(secretsContract.ungrant, { workspace, secret, agent: handle }),
  text: formatGrants,
});

const remove = operationCommand({
  name: 'secrets remove',
  summary: 'removes a secret for good, with its grants',
  operands: secretOperand,
  options: { ...ofWorkspace, yes: flag('do not ask') },
  question: ({ secret }) => `Remove the secret ${secret} for good?`,
  call: (call, { secret, workspace }) => call(secretsContract.remove, { workspace, secret }),
  text: ({ name }) => `The secret ${name} is removed.`,
});

export const secretCommands = [add, change, list, grant, ungrant, remove];
