import { styleText } from 'node:util';
import type { Finding, FindingStatus } from '../../doctor/finding.ts';
import { printable } from '../table.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red', skipped: 'gray' } as const satisfies Record<
  FindingStatus,
  string
>;

export const formatFindings = (findings: readonly Finding[]): string => {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, status, detail, fix }) => [
    `${styleText(COLOURS[status], status.padEnd('skipped'.length))}  ${printable(name).padEnd(width)}  ${printable(detail)}`,
    ...(fix === null ? [] : [`${' '.repeat('skipped'.length + width + 4)}→ ${printable(fix)}`]),
  ]);
  const failed = findings.filter(({ status }) => status === 'fail').length;
  const warned = findings.filter(({ status }) => status === 'warn').length;
  return [...lines, '', `${failed} failed, ${warned} warned, ${findings.length} checks.`].join('\n');
};
