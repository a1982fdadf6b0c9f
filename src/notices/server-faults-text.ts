/** The notice to the operator of what the doctor has newly found in the night. */

import { code } from './inline-code.ts';

export interface ServerFaults {
  hostname: string;
  faults: readonly { name: string; detail: string; fix: string | null }[];
}

export const serverFaultsSubject = ({ hostname, faults }: ServerFaults): string =>
  `${hostname}: ${[...new Set(faults.map(({ name }) => name))].join(', ')}`.slice(0, 120);

export const serverFaultsText = ({ hostname, faults }: ServerFaults): string =>
  [
    `The nightly doctor has found on ${code(hostname)} what it had not found before:`,
    '',
    ...faults.map(({ name, detail, fix }) => `- **${name}**: ${code(detail)}${fix === null ? '' : ` ${code(fix)}`}`),
    '',
    'It mails each fault once. All there are, as they are now:',
    '',
    '    postroom doctor',
  ].join('\n');
