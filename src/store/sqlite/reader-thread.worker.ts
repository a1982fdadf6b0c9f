/** The thread behind reader-thread.ts: runs one query after the other on a read-only connection. */

import { workerData } from 'piscina';
import { openConnection } from './connection.ts';
import type { ThreadQuery } from './reader-thread.ts';

const connection = openConnection((workerData as { path: string }).path, 'read');

export default ({ sql, parameters }: ThreadQuery): unknown[] => connection.prepare(sql).all(...parameters);
