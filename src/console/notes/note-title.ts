import type { Answer } from '../api/client.ts';

export type Note = Answer<'notes', 'list'>['notes'][number];

/** A note without a title goes by its first line. */
export const titleOf = ({ title, body }: Note): string => title ?? (body.trim().split('\n')[0] ?? '').slice(0, 80);
