import * as settings from '../../../src/store/settings.ts';
import * as policies from '../../../src/store/tls/mta-sts-policies.ts';
import * as results from '../../../src/store/tls/tls-results.ts';
import type { CallsOf } from './call.ts';

export const settingCalls: CallsOf<typeof settings> = {
  findSetting: ({ db }) => settings.findSetting(db, 'name'),
  listSettings: ({ db }) => settings.listSettings(db, 'tls/'),
  putSetting: ({ tx }) => settings.putSetting(tx, 'name', Buffer.from('w')),
  insertSettingOnce: ({ tx }) => settings.insertSettingOnce(tx, 'name', Buffer.from('v')),
};

export const policyCalls: CallsOf<typeof policies> = {
  findStsPolicy: ({ db }) => policies.findStsPolicy(db, 'remote.test'),
  putStsPolicy: ({ tx, now }) =>
    policies.putStsPolicy(tx, { domain: 'remote.test', policyId: '1', policy: '', fetchedAt: now, expiresAt: now }),
};

const DAY = 86_400_000;

export const tlsResultCalls: CallsOf<typeof results> = {
  addTlsResult: ({ tx, now }) =>
    results.addTlsResult(
      tx,
      {
        domain: 'remote.test',
        day: DAY,
        policy: '{}',
        failure: '',
        mxHost: '',
        sendingIp: '',
        receivingIp: '',
        reason: '',
        sessions: 1,
      },
      now,
    ),
  listTlsResults: ({ db }) => results.listTlsResults(db, 'remote.test', DAY),
  listDueTlsReports: ({ db, now }) => results.listDueTlsReports(db, now, 50),
  rescheduleTlsReport: ({ tx, now }) =>
    results.rescheduleTlsReport(tx, { domain: 'remote.test', day: DAY, urls: null }, now),
  countForeignReport: ({ tx, now }) => results.countForeignReport(tx, 'reports@remote.test', now),
};
