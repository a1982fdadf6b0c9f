/** Tells domains of removed workspaces apart. */

import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../schema.ts';

/** The row of a removed workspace's subdomain stays, so that its name is not given again. */
export const isLive = (eb: ExpressionBuilder<Schema, 'domains'>) =>
  eb.or([
    eb('domains.workspace_id', 'is', null),
    eb.exists(
      eb
        .selectFrom('workspaces')
        .select('workspaces.id')
        .whereRef('workspaces.id', '=', 'domains.workspace_id')
        .where('workspaces.removed_at', 'is', null),
    ),
  ]);
