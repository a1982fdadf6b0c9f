/** Whether a daemon holds the lock of the data directory. */
export const isServing = async (dataDir: string): Promise<boolean> => {
  const [{ lockDataDirectory }, { LockedError }] = await Promise.all([
    import('../store/lock-data.ts'),
    import('../store/store-errors.ts'),
  ]);
  try {
    lockDataDirectory(dataDir).release();
    return false;
  } catch (error) {
    if (error instanceof LockedError) return true;
    throw error;
  }
};
