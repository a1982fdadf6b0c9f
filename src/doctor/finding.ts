/** The finding of a check of the installation or its data. */

export type FindingStatus = 'ok' | 'warn' | 'fail' | 'skipped';

export interface Finding {
  name: string;
  status: FindingStatus;
  /** The finding, for people. */
  detail: string;
  /** The remedy; null where none is needed. */
  fix: string | null;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail, fix: null });
export const skipped = (name: string, detail: string): Finding => ({ name, status: 'skipped', detail, fix: null });
export const warn = (name: string, detail: string, fix: string): Finding => ({ name, status: 'warn', detail, fix });
export const fail = (name: string, detail: string, fix: string): Finding => ({ name, status: 'fail', detail, fix });

export const isFault = ({ status }: Finding): boolean => status === 'warn' || status === 'fail';

/** Warnings leave an installation working. */
export const isSound = (findings: readonly Finding[]): boolean => findings.every(({ status }) => status !== 'fail');
