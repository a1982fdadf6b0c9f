import type { DomainName } from '../../../src/kernel/address.ts';
import * as dkimRotation from '../../../src/store/accounts/dkim-rotation.ts';
import * as domainClaims from '../../../src/store/accounts/domain-claims.ts';
import * as policyDomains from '../../../src/store/accounts/policy-domains.ts';
import { type CallsOf, unknownId } from './call.ts';

const NAME = 'new.test' as DomainName;

export const domainClaimCalls: CallsOf<typeof domainClaims> = {
  countCustomDomains: ({ db, small }) => domainClaims.countCustomDomains(db, small.workspaceId),
  hasMailboxes: ({ db }) => domainClaims.hasMailboxes(db, unknownId()),
  updateDomain: ({ tx, now }) =>
    domainClaims.updateDomain(tx, unknownId(), {
      status: 'verified',
      verifiedAt: now,
      lastCheckedAt: now,
      failingSince: null,
      checkResult: { hint: null, records: [] },
    }),
  demoteFailingClaims: ({ tx }) => domainClaims.demoteFailingClaims(tx, NAME, unknownId()),
  deleteDomain: ({ tx }) => domainClaims.deleteDomain(tx, unknownId(), unknownId()),
  listUnchecked: ({ db, now }) => domainClaims.listUnchecked(db, now, 4),
  listUnverifiedClaims: ({ db, now }) => domainClaims.listUnverifiedClaims(db, now),
};

export const dkimRotationCalls: CallsOf<typeof dkimRotation> = {
  reserveSelectorNumbers: ({ tx }) => dkimRotation.reserveSelectorNumbers(tx, NAME, 2),
  promoteDkimKey: ({ tx }) => dkimRotation.promoteDkimKey(tx, unknownId(), 'pr2'),
  retireDkimKey: ({ tx, now }) => dkimRotation.retireDkimKey(tx, unknownId(), 'pr1', now),
};

export const policyDomainCalls: CallsOf<typeof policyDomains> = {
  listPolicyDomains: ({ db }) => policyDomains.listPolicyDomains(db),
};
