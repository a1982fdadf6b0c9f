/** The tables as Kysely sees them, by the mapping of each. */

import type { RowOf } from './mapping.ts';
import type * as tables from './tables.ts';

type Mappings = Extract<(typeof tables)[keyof typeof tables], { readonly table: string }>;
type Tables = { [M in Mappings as M['table']]: RowOf<M> };

export interface Schema extends Tables {}
