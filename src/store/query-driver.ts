/** Kysely's driver on what an engine runs queries with: it is not pooled, and begins no transaction. */

import type { DatabaseConnection, Driver } from 'kysely';

const noTransactions = async (): Promise<never> => {
  throw new Error('Transactions go through Store.write.');
};

export const createDriver = (executeQuery: DatabaseConnection['executeQuery']): Driver => {
  const connection: DatabaseConnection = {
    executeQuery,
    streamQuery: () => {
      throw new Error('Rows are not streamed: every query of the store is bounded.');
    },
  };
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: noTransactions,
    commitTransaction: noTransactions,
    rollbackTransaction: noTransactions,
    destroy: async () => {},
  };
};
