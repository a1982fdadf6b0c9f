/** Preloaded into the daemon: on SIGUSR2 writes what its main thread holds after a collection, as a line of its output. */

process.on('SIGUSR2', () => {
  if (!gc) throw new Error('Node was started without --expose-gc');
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ msg: 'memory', octets: heapUsed + external })}\n`);
});
