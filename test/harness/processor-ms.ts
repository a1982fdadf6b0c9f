/** Milliseconds that this thread has run on a processor: other work of a loaded machine lengthens no such time. */
export const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
