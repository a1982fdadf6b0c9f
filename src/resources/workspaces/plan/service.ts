import { requireWorkspace } from '../../../access/reach.ts';
import { findPlan } from '../../../config/plans.ts';
import type { Handlers } from '../../../kernel/handlers.ts';
import { countAgents } from '../../../store/accounts/agents.ts';
import { countCustomDomains } from '../../../store/accounts/domain-claims.ts';
import { countWebhooks } from '../../../store/events/webhooks.ts';
import { countKnowledge } from '../../../store/knowledge/sources.ts';
import { findKeptBytes } from '../../../store/mail/kept-bytes.ts';
import type { Needs } from '../../needs.ts';
import { findWorkspaceUsage } from '../workspace-usage.ts';
import type { planContract } from './contract.ts';

export const createPlan = ({
  store,
  clock,
  plans,
}: Needs<'store' | 'clock' | 'plans'>): Handlers<typeof planContract> => ({
  get: async ({ workspaceId }) => {
    const db = store.read;
    const workspace = await requireWorkspace(db, { workspaceId });
    const plan = findPlan(plans, workspace.plan);
    const none = { extra_usd: null };
    return {
      plan: workspace.plan,
      tier: workspace.tier,
      usage: await findWorkspaceUsage(db, plans, workspace, clock.now()),
      overage_usd: plan.overage_usd ?? null,
      parts: [
        {
          part: 'mailboxes',
          used: await countAgents(db, workspaceId),
          included: plan.inboxes ?? null,
          extra_usd: plan.extra_inbox_usd ?? null,
        },
        {
          part: 'custom_domains',
          used: await countCustomDomains(db, workspaceId),
          ...none,
          included: workspace.tier === 'probation' ? 0 : (plan.custom_domains ?? null),
        },
        {
          part: 'webhook_endpoints',
          used: await countWebhooks(db, workspaceId),
          ...none,
          included: plan.webhook_endpoints ?? null,
        },
        {
          part: 'knowledge_pages',
          used: (await countKnowledge(db, workspaceId)).pages,
          ...none,
          included: plan.knowledge_pages ?? null,
        },
        // It is measured only where it has a limit.
        ...(plan.mail_bytes === undefined
          ? []
          : [
              {
                part: 'mail_bytes' as const,
                used: await findKeptBytes(db, workspaceId, workspace),
                ...none,
                included: plan.mail_bytes,
              },
            ]),
      ],
    };
  },
});
